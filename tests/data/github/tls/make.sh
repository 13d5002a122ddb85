#!/bin/sh
# Makes the authority and the certificate of 127.0.0.1 anew, valid from 2020 on, whatever the clock says.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
cd "$scratch"
mkdir new
touch index.txt
cat >ca.cnf <<END
[ca]
default_ca = one
[one]
dir = .
database = index.txt
new_certs_dir = new
rand_serial = yes
default_md = sha256
policy = any
[any]
commonName = supplied
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
[server]
subjectAltName = IP:127.0.0.1
extendedKeyUsage = serverAuth
END
key() { openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out "$1"; }
sign() { openssl ca -batch -notext -config ca.cnf -startdate 20200101000000Z -enddate 21200101000000Z "$@"; }
key authority.key
openssl req -new -key authority.key -subj "/CN=rankhold tests" -out authority.csr
sign -selfsign -keyfile authority.key -extensions authority -in authority.csr -out authority.pem
key server.key
openssl req -new -key server.key -subj "/CN=127.0.0.1" -out server.csr
sign -keyfile authority.key -cert authority.pem -extensions server -in server.csr -out server.pem
cp authority.pem server.pem server.key "$here"
