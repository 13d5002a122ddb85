from lib.reminders import ReminderQueue


def test_a_reader_gets_one_letter_for_all_overdue_books():
    queue = ReminderQueue("localhost", retries=1)
    assert queue.pending == {}


def test_the_mail_server_is_tried_three_times_by_default():
    assert ReminderQueue("localhost").retries == 3
