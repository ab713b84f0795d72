import type { Window } from '@svc/service'

/** Codes per mail address and day: a bound on the mail that a stranger can send to someone else's mailbox. */
export const MAILBOX_CODES: Window = { counter: 'contact-mail', limit: 10, seconds: 86_400, protects: 'mail' }
/** Codes per domain and day, except at large providers: who owns a domain has any number of addresses there. */
export const DOMAIN_CODES: Window = { counter: 'contact-domain', limit: 500, seconds: 86_400, protects: 'mail' }
