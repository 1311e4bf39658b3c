"""The part of capture that runs inside the kernel: standard library only, and no user code is ever called.

The source of these modules is sent to the kernel in one silent execute (`themisto_lab.capture.bundle`) and
becomes modules in ``sys.modules``. The modules import each other relatively, so that the same source works
there and here. They keep to what Python 3.9 knows, because the kernel may be older than the server.
"""
