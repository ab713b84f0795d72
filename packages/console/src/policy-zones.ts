/**
 * Two content security policies, by address. The pages of sign-in need WebAssembly for passwords and, where the operator
 * has set it up, the script of the bot challenge; all others are stricter. A document keeps the policy that it was loaded
 * with, so the router loads anew from one zone to the other.
 *
 * @module
 */
export const SIGN_IN_PATHS = ['/sign-in', '/create-account', '/recover', '/account'] as const

export function policyZoneOf(path: string): 'sign-in' | 'console' {
  return (SIGN_IN_PATHS as readonly string[]).includes(path) ? 'sign-in' : 'console'
}
