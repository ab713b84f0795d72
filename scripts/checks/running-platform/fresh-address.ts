import { randomBytes } from 'node:crypto'

/** Rate limits count by address: 2001:db8::/32 is for documentation. */
export function freshAddress(): string {
  const [a, b] = [randomBytes(2).toString('hex'), randomBytes(2).toString('hex')]
  return `2001:db8:${a}:${b}::1`
}
