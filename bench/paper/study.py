def run(options, table_1, deadline):
    pass
