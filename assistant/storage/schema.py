"""The schema as `Table` objects, for queries and migrations; importing this module declares every table."""

from sqlalchemy import Table

from assistant.storage import tables, tables_around, tables_search
from assistant.storage.columns import Row

metadata = Row.metadata
"""All tables of the product and nothing else."""


def _table(row: type[Row]) -> Table:
    return metadata.tables[str(row.__tablename__)]


owners = _table(tables.OwnerRow)
sessions = _table(tables.SessionRow)
messages = _table(tables.MessageRow)
tasks = _table(tables.TaskRow)
tool_calls = _table(tables.ToolCallRow)
workers = _table(tables.WorkerRow)
keys = _table(tables.KeyRow)
attachments = _table(tables_around.AttachmentRow)
device_links = _table(tables_around.DeviceLinkRow)
drafts = _table(tables_around.DraftRow)
notes = _table(tables_around.NoteRow)
queued = _table(tables_around.QueuedMessageRow)
shares = _table(tables_around.ShareRow)
summaries = _table(tables_around.SummaryRow)
search_entries = _table(tables_search.SearchEntryRow)
