/** Token format and header of sign-in sessions. */

/** Cannot be confused with an assertion: no space, no full stop, and a header of its own. */
export const SESSION_TOKEN = /^signin_[A-Za-z0-9_-]{43}$/
export const SESSION_HEADER = 'X-Sign-In-Session'
