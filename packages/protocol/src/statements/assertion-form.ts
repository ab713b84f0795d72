/** The `purpose` of an assertion that a root key signs. */
export const PURPOSE = 'auth/session'
/** That of one that a device signs. */
export const DEVICE_PURPOSE = 'auth/device-session'

/**
 * Whether an object can be the payload of an assertion. One with a `type` never is: bytes that a signer takes for a
 * statement, whatever else they hold, must be no credential.
 */
export function isAssertionForm(value: object): boolean {
  if ('type' in value || !('purpose' in value)) return false
  return value.purpose === PURPOSE || value.purpose === DEVICE_PURPOSE
}
