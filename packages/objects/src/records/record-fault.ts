/**
 * What is wrong with the records of an object, so that nothing is rebuilt from them. Its message has numbers and ids of
 * keys alone, so it may be logged.
 */
export class RecordFault extends Error {
  override readonly name = 'RecordFault'
}

export function missing(sequence: number): RecordFault {
  return new RecordFault(`Record ${sequence} is missing: copy it back to the bucket`)
}
