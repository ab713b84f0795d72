/** A device of the identity that is recovered. Its keys are enough: the thief may have revoked it. */
export interface RecoveringDevice {
  readonly deviceId: string
}

/** The root key that is replaced, if the owner has a copy. */
export interface RootCopy {
  readonly publicKeyB64u: string
}
