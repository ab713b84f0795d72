import type { SignerState } from '#protocol/devices/signer-standing'

/** What the key that signed a version is today, and what says that it signed it before it ended. */
export interface NoteSigning {
  /** Null for a version that was not read from its vault, such as one of an export. */
  readonly signer: SignerState | null
  /** `inception`: the events that it and what follows it name. `memory`: this client has read it before. */
  readonly order: 'inception' | 'memory' | 'unknown'
}

export interface ReadNoteOptions {
  /**
   * Whether a version counts that a revoked device or a superseded root key signed, and that nothing from before that
   * follows: you know what is in it. `order` then is `unknown`.
   */
  readonly acceptEnded?: boolean
}
