"""The server that the browser tests run against: a fresh record, the embedded model, real kernels."""

import os
import tempfile

from jupyterlab.galata import configure_jupyter_server

configure_jupyter_server(c)  # noqa: F821 - jupyter's configuration object

c.ServerApp.allow_root = True  # noqa: F821
c.ServerApp.log_level = "WARN"  # noqa: F821
c.ThemistoApp.store = os.environ.get(  # noqa: F821
    "THEMISTO_TEST_STORE", os.path.join(tempfile.mkdtemp(prefix="themisto-ui-"), "store.sqlite")
)
c.ThemistoApp.timeout_s = 120.0  # noqa: F821
