"""Letters to readers whose books are overdue."""

import datetime
import smtplib


class ReminderQueue:
    """Collects overdue loans and sends one letter per reader."""

    def __init__(self, host, retries=3):
        self.host = host
        self.retries = retries
        self.pending = {}

    def add(self, reader, title, due):
        if due < datetime.date.today():
            self.pending.setdefault(reader, []).append(title)

    def send_all(self):
        for reader, titles in sorted(self.pending.items()):
            self._send_with_retry(reader, "\n".join(titles))

    def _send_with_retry(self, reader, body):
        for attempt in range(self.retries):
            try:
                with smtplib.SMTP(self.host) as mail:
                    return mail.sendmail("library@example.org", [reader], body)
            except OSError:
                if attempt + 1 == self.retries:
                    raise
