/** The Workers that take assertions, and ask core about their keys. */
export const SIBLINGS = ['provenance', 'did', 'keys', 'pay'] as const
