import type { SignerState } from '#protocol/devices/signer-standing'

/** What the key that signed a version is today, and what says that it signed it before it ended. */
export interface NoteSigning {
  /** Null for a version of another deployment, whose keys are not known here. */
  readonly signer: SignerState | null
  /**
   * `inception`: the events that it and what follows it name. `memory`: this client has read it before. `log`: the vault
   * took it before the end, which is the word of core.
   */
  readonly order: 'inception' | 'memory' | 'log' | 'unknown'
}

export interface ReadNoteOptions {
  /**
   * Whether a version counts that the vault took after its key had ended, and that nothing from before that follows: you
   * know what is in it. `order` then is `unknown`.
   */
  readonly acceptEnded?: boolean
}
