/**
 * Reads JSON from outside, whose shape is not known. Pure.
 *
 * @module
 */
export type Raw = Readonly<Record<string, unknown>>

/** A schema, or what its reference names. */
export function resolved(document: unknown, schema: unknown): Raw {
  const reference = record(schema)['$ref']
  if (typeof reference !== 'string') return record(schema)
  const parts = reference.replace(/^#\//, '').split('/')
  return record(parts.reduce<unknown>((value, part) => record(value)[part], document))
}

export function isRecord(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
export const record = (value: unknown): Raw => (isRecord(value) ? value : {})
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
export const text = (value: unknown): string => (typeof value === 'string' ? value : '')
