/** GeoJSON of a request, read in Hasura's order and with its messages: Postgres would accept more, and reads some forms differently. */
import { jsonKind, kindOf, mismatch, UnfitValue } from "./json-values.ts";

type Fields = Readonly<Record<string, unknown>>;
type Reader = (value: unknown) => unknown;

function fieldsOf(value: unknown, reading: string): Fields {
  if (kindOf(value) !== "an object") throw mismatch(reading, "Object", value);
  return value as Fields;
}

function need(fields: Fields, key: string, failed = ""): unknown {
  if (!(key in fields)) throw new UnfitValue(`${failed}key "${key}" not found`);
  return fields[key];
}

function listOf(item: Reader, name = "[]", fewest = 0, lack = ""): Reader {
  return (value) => {
    if (!Array.isArray(value)) throw mismatch(name, "Array", value);
    const items: readonly unknown[] = value.map(item);
    if (items.length < fewest) throw new UnfitValue(`A ${name} needs at least ${fewest} ${lack}`);
    return items;
  };
}

function double(value: unknown): unknown {
  if (kindOf(value) === "a number") return value;
  throw new UnfitValue(`parsing Double failed, unexpected ${jsonKind(value)}`);
}

const longPosition = listOf(double, "Position", 2, "elements");
const position: Reader = (value) => (longPosition(value) as readonly unknown[]).slice(0, 3);
const line = listOf(position, "LineString", 2, "Positions");
const openRing = listOf(position, "LinearRing", 4, "Positions");
const ring: Reader = (value) => {
  const places = openRing(value) as readonly unknown[];
  if (JSON.stringify(places[0]) !== JSON.stringify(places.at(-1)))
    throw new UnfitValue("the first and last locations have to be equal for a LinearRing");
  return places;
};

const shapes: ReadonlyMap<string, Reader> = new Map([
  ["Point", position],
  ["MultiPoint", listOf(position)],
  ["LineString", line],
  ["MultiLineString", listOf(line)],
  ["Polygon", listOf(ring)],
  ["MultiPolygon", listOf(listOf(ring))],
]);

const system = "parsing Hasura.SQL.GeoJSON.CRS";

/** The system of GeoJSON without a name of another one, as in `ST_GeomFromGeoJSON`. */
const usual = { properties: { name: "EPSG:4326" }, type: "name" };

function referenceSystem(value: unknown): unknown {
  const fields = fieldsOf(value, "Hasura.SQL.GeoJSON.CRS");
  const tags = '["name","link"]';
  const type = need(fields, "type", `${system} failed, expected Object with key "type" containing one of ${tags}, `);
  if (typeof type !== "string") {
    const { message } = mismatch("Text", "String", type);
    throw new UnfitValue(`${system} failed, expected Object with key "type" containing one of ${tags}, ${message}`);
  }
  if (type !== "name" && type !== "link")
    throw new UnfitValue(`${system} failed, expected tag field to be one of ${tags}, but found tag "${type}"`);
  const [constructor, key] = type === "name" ? ["CRSName", "name"] : ["CRSLink", "href"];
  const reading = `Hasura.SQL.GeoJSON.${constructor}Props(${constructor}Props)`;
  const properties = fieldsOf(need(fields, "properties", `${system}(${constructor}) failed, `), reading);
  const name = need(properties, key, `parsing ${reading} failed, `);
  if (typeof name !== "string") throw mismatch("Text", "String", name);
  return type === "name" ? { properties: { name }, type } : usual;
}

/** The value as Hasura sends it to Postgres. @throws UnfitValue */
export function geoJson(value: unknown): unknown {
  const fields = fieldsOf(value, "Geometry");
  const type = need(fields, "type");
  if (typeof type !== "string") throw mismatch(undefined, "String", type);
  const shape = shapes.get(type);
  if (shape === undefined && type !== "GeometryCollection") throw new UnfitValue(`unexpected geometry type: ${type}`);
  const content =
    shape === undefined
      ? { geometries: listOf(geoJson)(need(fields, "geometries")) }
      : { coordinates: shape(need(fields, "coordinates")) };
  const { crs = null } = fields;
  return { ...content, crs: crs === null ? usual : referenceSystem(crs), type };
}
