import * as z from 'zod'

type Schema = z.core.$ZodType

/** Whether the schema of a body, or one inside it, is what `matches` looks for. */
export function holds(schema: Schema, matches: (part: Schema) => boolean): boolean {
  return holdsUnseen(schema, matches, new Set())
}

function holdsUnseen(schema: Schema, matches: (part: Schema) => boolean, seen: Set<Schema>): boolean {
  if (matches(schema)) return true
  if (seen.has(schema)) return false
  seen.add(schema)
  return partsOf(schema).some((part) => holdsUnseen(part, matches, seen))
}

function partsOf(schema: Schema): readonly Schema[] {
  if (schema instanceof z.ZodObject) return Object.values<Schema>(schema.shape)
  if (schema instanceof z.ZodArray) return [schema.element]
  if (schema instanceof z.ZodRecord) return [schema.valueType]
  if (schema instanceof z.ZodUnion) return schema.options
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return [schema.unwrap()]
  if (schema instanceof z.ZodDefault) return [schema.unwrap()]
  if (schema instanceof z.ZodPipe) return [schema.in, schema.out]
  return []
}
