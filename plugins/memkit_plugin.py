"""memkit's plugin for `datasette --plugins-dir plugins`; where it is installed, it is there already and stays one."""

from datasette.plugins import pm

from memkit.frontends import datasette

if not pm.is_registered(datasette):
    pm.register(datasette, name="memkit")
