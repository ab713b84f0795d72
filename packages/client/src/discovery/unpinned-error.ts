import { unverified } from '../verification/verification-error.ts'

/** Nothing says which keys the list, or the answer that an option has the key of, must be signed with. */
export function unpinned(option?: string) {
  const way = `connect with \`Client.connect\`, or pass \`logListKeys\`${option === undefined ? '' : ` or \`${option}\``}`
  return unverified('logs', 'no_key', `This client pins no keys of the signed list: ${way}`)
}
