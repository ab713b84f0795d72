/**
 * A fault in an object's records that prevents a rebuild. The message contains only record numbers and ids of
 * keys, so it can be logged.
 */
export class RecordFault extends Error {
  override readonly name = 'RecordFault'
}

/** What a record has of its object cannot be opened any more. */
export class OwnerErased extends RecordFault {
  constructor() {
    super('The erasure key of an object is gone: it was erased, or the bucket of its keys is not the one that it had')
  }
}

export function missing(sequence: number): RecordFault {
  return new RecordFault(`Record ${sequence} is missing: copy it back to the bucket`)
}
