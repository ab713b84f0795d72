/** How a session of the sign-in service travels. */

/** The form of no assertion: no space and no full stop, and another header. */
export const SESSION_TOKEN = /^signin_[A-Za-z0-9_-]{43}$/
export const SESSION_HEADER = 'X-Sign-In-Session'
