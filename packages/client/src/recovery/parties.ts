import type { InceptionHead } from '#protocol/base/inception-head'

/** A device of the identity that is recovered. Its keys are enough: the thief may have revoked it. */
export interface RecoveringDevice {
  readonly deviceId: string
  /** Has the event that attested the device, which its statements name. */
  readonly membership?: { readonly inception: InceptionHead } | null
}

/** The root key that is replaced, if the owner has a copy. */
export interface RootCopy {
  readonly publicKeyB64u: string
}

/** A key that the identity has committed to, in a member of its own so that it is not taken for the root key. */
export interface Successor {
  readonly asSuccessor: { readonly publicKeyB64u: string }
}
