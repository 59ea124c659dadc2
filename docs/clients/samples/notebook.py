"""A notebook cell: the updates of a period as a pandas data frame."""
import pandas
from export import updates

frame = pandas.DataFrame(updates("2026-01-01T00:00:00", "2026-01-01T00:01:00"))
# Times are UTC without a zone in the API.
frame["timestamp"] = pandas.to_datetime(frame["timestamp"], format="ISO8601").dt.tz_localize("UTC")
print(frame.groupby("origin_as").size().sort_values(ascending=False).head())
