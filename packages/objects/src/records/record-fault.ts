/**
 * A fault in an object's records that prevents a rebuild. The message contains only record numbers and ids of
 * keys, so it can be logged.
 */
export class RecordFault extends Error {
  override readonly name = 'RecordFault'
}

export function missing(sequence: number): RecordFault {
  return new RecordFault(`Record ${sequence} is missing: copy it back to the bucket`)
}
