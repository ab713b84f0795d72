/** A person takes longer to fill in three fields; a bot has to wait for every ticket. */
export const MIN_AGE_SECONDS = 3
export const MAX_AGE_SECONDS = 900
const DAY_SECONDS = 86_400

/** A wrong answer spends the ticket too, or every sum could be tried. */
export const ONCE = { counter: 'invite-ticket', limit: 1, seconds: MAX_AGE_SECONDS, protects: 'guess' } as const
/** Answers per network and day, wrong ones included. */
export const ANSWERS = { counter: 'invite-answer', limit: 10, seconds: DAY_SECONDS, protects: 'guess' } as const
/**
 * Requests without scripts per day, from all networks together. A bot solves a sum at no cost, and networks are cheap, so
 * this alone bounds what it gains over the path with Turnstile.
 */
export const UNSCRIPTED = {
  counter: 'invite-unscripted',
  limit: 100,
  seconds: DAY_SECONDS,
  protects: 'storage',
} as const
