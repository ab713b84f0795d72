/** How `svc` ends. Scripts branch on these: they do not change. */
export const EXIT = {
  ok: 0,
  internal: 1,
  usage: 2,
  /** What was verified is invalid. */
  invalid: 3,
  /** It is not decided yet. */
  pending: 4,
  /** A service refused, or a person said no. */
  refused: 5,
  unreachable: 6,
  /** A key is missing, or its passphrase is. */
  locked: 7,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
