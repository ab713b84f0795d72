import { data } from '../situation.ts'

/** What an answer of one object is, and what is changed of it. */
export const oneAnswer = (path: string, shown: Record<string, unknown>, ...args: unknown[]) => ({
  shown,
  args: () => args,
  answers: () => ({ [path]: data(shown) }),
})
