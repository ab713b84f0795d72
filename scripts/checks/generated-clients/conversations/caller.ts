/** What the owner of a key can do. How, a generated client does not know. */
export interface Caller {
  readonly did: string
  readonly userId: string
  readonly publicKeyB64u: string
  /** SHA3-384 of the canonical JSON of a value, or of bytes. */
  readonly hash: (value: object) => string
  /** The value with the signature of its canonical JSON. */
  readonly signed: <Value extends object>(value: Value) => Value & { signature: string }
  /** The signature of a consent act, for the header `X-Svc-Signature`. */
  readonly consent: (message: object) => string
  /** An assertion without the name of its scheme, which a generated client adds. */
  readonly token: (audience: string, method: string, url: string, body: string) => string
}

/** The addresses of the services. */
export interface Places {
  readonly core: string
  readonly consent: string
  readonly pay: string
}

/** What a conversation leads to, the same with every client. */
export interface Outcome {
  readonly index: string
  readonly payloadB64u: string | null
  readonly versions: readonly number[]
  readonly preferences: object | null | undefined
  /** Null: the record declares nothing that the vocabulary has a token for. */
  readonly tdmReservation: 1 | null
  readonly used: number | undefined
  readonly refused: readonly [number, string]
}

const common = (caller: Caller) =>
  ({
    timestamp: String(Date.now()),
    metadataHash: caller.hash({}),
    signatureAlg: 'ml-dsa-65',
    ownerPublicKey: caller.publicKeyB64u,
    version: 4,
    scope: caller.userId,
    epoch: 0,
  }) as const

export const genesisOf = (caller: Caller) =>
  caller.signed({
    ...common(caller),
    index: '0',
    previousHash: '0'.repeat(96),
    dataHash: caller.hash({ scope: caller.userId }),
    contentType: 'application/vnd.svc.genesis+json',
  })

export const blockAfter = (caller: Caller, head: { readonly hash: string }, payload: Uint8Array) =>
  caller.signed({
    ...common(caller),
    index: '1',
    previousHash: head.hash,
    dataHash: caller.hash(payload),
    contentType: 'text/plain',
  })
