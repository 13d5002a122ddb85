//! One table for each language: a line and what it defines.

use super::Grammar;

#[track_caller]
fn check(extension: &str, table: &[(&str, Option<&str>)]) {
    let grammar = Grammar::for_extension(extension).expect("a known language");
    for (line, expected) in table {
        assert_eq!(grammar.definition(line), *expected, "{extension}: {line}");
    }
}

#[test]
fn rust() {
    check(
        "rs",
        &[
            ("pub fn route(self) -> Self {", Some("route")),
            ("    pub(crate) const unsafe fn layer<L>(self) {", Some("layer")),
            ("pub struct PathRouter<S> {", Some("PathRouter")),
            ("pub struct Unit;", Some("Unit")),
            ("pub(in crate::a) enum Kind {", Some("Kind")),
            ("macro_rules! all_the_tuples {", Some("all_the_tuples")),
            ("const LIMIT: usize = 3;", Some("LIMIT")),
            ("    let x = route(self);", None),
            ("impl<S> Router<S> {", None),
            ("// fn commented", None),
        ],
    );
}

#[test]
fn go() {
    check(
        "go",
        &[
            ("func New() *Mux {", Some("New")),
            ("func (s *Store) AddObservation(o Observation) error {", Some("AddObservation")),
            ("type Graph struct {", Some("Graph")),
            ("var ErrClosed = errors.New(\"closed\")", Some("ErrClosed")),
            ("\tvar local int", None),
            ("\treturn func() {", None),
        ],
    );
}

#[test]
fn python() {
    check(
        "py",
        &[
            ("class BaseModel(metaclass=ModelMetaclass):", Some("BaseModel")),
            ("    async def get(self):", Some("get")),
            ("def field_validator(*fields):", Some("field_validator")),
            ("    return field_validator(x)", None),
        ],
    );
}

#[test]
fn javascript_and_typescript() {
    check(
        "ts",
        &[
            ("export async function createServer(): Promise<void> {", Some("createServer")),
            ("export default class AxiosError extends Error {", Some("AxiosError")),
            ("export const createAdapter = (x) => {", Some("createAdapter")),
            ("export interface Options {", Some("Options")),
            ("export const enum Kind {", Some("Kind")),
            ("  async find(id: string): Promise<Row> {", Some("find")),
            ("  private get size(): number {", Some("size")),
            ("  const local = 1", None),
            ("  if (found) {", None),
            ("  it('finds', () => {", None),
            ("  find(id)", None),
        ],
    );
}

#[test]
fn java_and_c_sharp() {
    check(
        "java",
        &[
            ("public final class Gson {", Some("Gson")),
            ("  @Override public <T> T fromJson(String json) throws E {", Some("fromJson")),
            ("  private static void check(int n) {", Some("check")),
            ("    return check(n);", None),
            ("    check(n);", None),
            ("    throw new Error(\"x\");", None),
            ("    int n = check(3);", None),
        ],
    );
    check(
        "cs",
        &[
            ("    public static partial class SqlMapper", Some("SqlMapper")),
            ("    public async Task<int> ExecuteAsync(string sql)", Some("ExecuteAsync")),
            ("    public record Point(int X);", Some("Point")),
        ],
    );
}

#[test]
fn c_and_cpp() {
    check(
        "h",
        &[
            ("class Mutex;", None),
            ("class Mutex {", Some("Mutex")),
            ("template <typename T> struct Span {", Some("Span")),
            ("enum class StatusCode : int {", Some("StatusCode")),
            ("#define ABSL_LOG(severity) x", Some("ABSL_LOG")),
            ("static int count_bits(unsigned n);", Some("count_bits")),
            ("char* Mutex::Describe(bool fair) {", Some("Describe")),
            ("  return count_bits(n);", None),
            ("  count_bits(n);", None),
            ("  int n = count_bits(3);", None),
        ],
    );
}

#[test]
fn kotlin_scala_and_swift() {
    check(
        "kt",
        &[
            ("public suspend fun <T> withContext(block: () -> T): T {", Some("withContext")),
            ("internal data class Job(val parent: Job?)", Some("Job")),
            ("public fun interface FlowCollector<in T> {", Some("FlowCollector")),
            ("    val local = 1", None),
            ("    private val state = 1", Some("state")),
        ],
    );
    check(
        "scala",
        &[
            ("sealed abstract class Validated[+E, +A] {", Some("Validated")),
            ("  final case class Invalid[+E](e: E)", Some("Invalid")),
            ("  override def flatMap[A, B](fa: F[A]): F[B] =", Some("flatMap")),
            ("object Monad {", Some("Monad")),
        ],
    );
    check(
        "swift",
        &[
            ("open class Session: @unchecked Sendable {", Some("Session")),
            ("    @discardableResult public func validate() -> Self {", Some("validate")),
            ("public protocol URLConvertible: Sendable {", Some("URLConvertible")),
            ("extension Session {", None),
        ],
    );
}

#[test]
fn ruby_php_and_lua() {
    check(
        "rb",
        &[
            ("  class Builder < Base", Some("Builder")),
            ("    def self.parse_file(path)", Some("parse_file")),
            ("module Rack::Utils", Some("Utils")),
        ],
    );
    check(
        "php",
        &[
            ("abstract class AbstractHandler implements Handler", Some("AbstractHandler")),
            ("    public static function create(): self", Some("create")),
            ("    private const LEVEL = 1;", Some("LEVEL")),
        ],
    );
    check(
        "lua",
        &[
            ("function Picker:get_selection()", Some("get_selection")),
            ("local function create(opts)", Some("create")),
            ("local x = function()", None),
        ],
    );
}

#[test]
fn elixir_haskell_zig_and_shell() {
    check(
        "ex",
        &[
            ("defmodule Phoenix.Channel.Server do", Some("Server")),
            ("  defp handle_in(event, socket) do", Some("handle_in")),
            ("  defmacro __using__(opts) do", Some("__using__")),
        ],
    );
    check(
        "hs",
        &[
            ("data Value = Object !Object", Some("Value")),
            ("newtype Parser a = Parser {", Some("Parser")),
            ("withObject :: String -> Parser a", Some("withObject")),
            ("  where x :: Int", None),
        ],
    );
    check(
        "zig",
        &[
            ("pub fn resolveType(self: *Analyser) !?Type {", Some("resolveType")),
            ("pub const DocumentStore = struct {", Some("DocumentStore")),
            ("    const local = 1;", None),
        ],
    );
    check(
        "sh",
        &[
            ("nvm_find_up() {", Some("nvm_find_up")),
            ("function bats_run {", Some("bats_run")),
            ("  nvm_find_up \"$1\"", None),
        ],
    );
}

#[test]
fn a_strange_line_defines_nothing() {
    for extension in ["rs", "ts", "c", "hs", "sh", "lua", "clj"] {
        for line in
            ["", "   ", "fn", "class", "(", "((((", "é", "#", "function (", "<<<<", "名前 ::", "\u{feff}fn"]
        {
            let grammar = Grammar::for_extension(extension).expect("a known language");
            let _ = grammar.definition(line);
        }
    }
}
