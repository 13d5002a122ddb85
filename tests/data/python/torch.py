__version__ = "1.0"
threads = None


def set_num_threads(number):
    global threads
    threads = number
