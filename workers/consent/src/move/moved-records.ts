import type { ConsentAct } from '@svc/protocol/consent/consent'

/** A record as it goes from one store to another. Acts and keys go beside it. */
export interface MovedRecord {
  readonly hash: string
  readonly creatorDid: string | null
  readonly preferences: string
  readonly status: 'published' | 'revoked'
  readonly version: number
  readonly heldFrom: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly revision: number
  readonly acts: readonly MovedAct[]
  readonly claims: readonly MovedClaim[]
  readonly formerActs: readonly { readonly did: string; readonly acts: number }[]
  /** Whose lists do not have this revision yet. */
  readonly untold: readonly string[]
}

export interface MovedAct {
  readonly version: number
  readonly actHash: ArrayBuffer
  readonly action: ConsentAct['action'] | 'settle'
  readonly preferences: string | null
  readonly state: string | null
  readonly userId: string
  readonly signer: string
  readonly recordedAt: number
  readonly settlement: string | null
  readonly previousCreatorDid: string | null
  readonly place: number | null
  readonly signature: ArrayBuffer | null
}

export interface MovedClaim {
  readonly did: string
  readonly actHash: string | null
  readonly preferences: string | null
  readonly userId: string | null
  readonly signature: ArrayBuffer | null
  readonly signer: string | null
  readonly recordedAt: number
  readonly settledAt: number | null
  readonly spent: string
}

export interface MovedKey {
  readonly userId: string
  readonly publicKey: ArrayBuffer
}

/** One call of a copy. */
export interface Parcel {
  readonly bucket: number
  /** The placement that the move leads to. What was copied for another one is dropped. */
  readonly version: number
  readonly records: readonly MovedRecord[]
  readonly keys: readonly MovedKey[]
}

/** What a store has of a bucket, to compare two of them. */
export interface BucketTally {
  readonly records: number
  readonly revisions: number
  readonly acts: number
  readonly claims: number
}
