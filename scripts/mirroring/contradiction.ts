export type ContradictionReason =
  /** The log has fewer leaves than it signed before. */
  | 'shrunk'
  /** It signed two trees, or two lists, that cannot both be true. */
  | 'fork'
  /** What it shows does not hash to what it signed. */
  | 'rewritten'
  /** It does not show a leaf, or what the leaf commits to. */
  | 'missing_leaf'
  | 'repeated_leaf'
  | 'out_of_order'
  | 'invalid_signature'
  | 'left_out'
  /** A map of accounts does not follow from the entries of the log. */
  | 'wrong_map'
  /** Any other fault of a list, a checkpoint, a roll, a body or a discovery document, by its name in the SDK. */
  | (string & {})

/**
 * A service shows what it cannot have signed honestly. The mirror keeps both sides, stops following that source, and goes
 * on serving what it verified before.
 */
export class Contradiction extends Error {
  override readonly name = 'Contradiction'
  readonly reason: ContradictionReason
  /** What the mirror had verified, and what it was shown: JSON. */
  readonly known: unknown
  readonly shown: unknown

  constructor(
    reason: ContradictionReason,
    { known = null, shown }: { readonly known?: unknown; readonly shown: unknown },
  ) {
    super(`contradicts what it signed: ${reason}`)
    this.reason = reason
    this.known = known
    this.shown = shown
  }
}
