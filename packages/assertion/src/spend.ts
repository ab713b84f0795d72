/** What spending an assertion gives: who called, or why it was refused. */

/** A caller whose key core has vouched for and whose nonce is spent. */
export interface Caller {
  readonly userId: string
  readonly did: string
  readonly scope: string
  readonly epoch: number
  readonly publicKeyB64u: string
}

export type SpendRefusal =
  | { readonly reason: 'unknown_key' | 'superseded' | 'deactivated' | 'replay' | 'expired' }
  | { readonly reason: 'unavailable'; readonly dependency: string }
