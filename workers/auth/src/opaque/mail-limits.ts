/**
 * Mail about registrations. A registration needs a grant as well, so each costs a passed challenge or a session. The same
 * for an address with and without an account, so a refusal does not tell which it is.
 */
export const REGISTRATION_MAIL = {
  /** Per mailbox, whatever the spelling of its address: a bound on what strangers can send to one inbox. */
  mailbox: { counter: 'register-mail', limit: 5, seconds: 86_400, protects: 'mail' },
  /** Per domain, except at large providers: who owns a domain has any number of addresses there. */
  domain: { counter: 'register-mail-domain', limit: 500, seconds: 86_400, protects: 'mail' },
  /** Per address of the caller, IPv6 by /48. */
  caller: { counter: 'register-mail-caller', limit: 10, seconds: 3_600, protects: 'mail' },
} as const

/** Per grant: five of a million codes. */
export const CODE_GUESSES = { counter: 'register-code', limit: 5, seconds: 3_600, protects: 'guess' } as const
