import type { SignerState } from '#protocol/devices/signer-standing'

/** What the key that signed a version is today, and what says that it signed it before it ended. */
export interface NoteSigning {
  /** Null for a version of another deployment, whose keys are not known here. */
  readonly signer: SignerState | null
  /**
   * `inception`: the events that this version and those after it name. `memory`: this client has read the version before.
   * `log`: the vault accepted it before the key ended, as claimed by core.
   */
  readonly order: 'inception' | 'memory' | 'log' | 'unknown'
}

export interface ReadNoteOptions {
  /**
   * Accepts a version that the vault accepted after its key had ended, even if nothing from before that follows it. Set
   * it only if you know the content. `order` is then `unknown`.
   */
  readonly acceptEnded?: boolean
}
