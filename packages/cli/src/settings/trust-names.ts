/** Names in the trust store of a deployment: of the client, and of svc. */
export const PIN = 'pin'
/** The fingerprint that somebody compared. */
export const COMPARED = 'svc/compared'
/** The witnesses that somebody demands, and how many of them. */
export const WITNESSES = 'svc/witnesses'
