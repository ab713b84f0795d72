/** The scripts of the console that run beside its pages: the worker that keeps the verifier, and the one that reads what is public. */
const OWN = /^\/(?:verify\/offline|assets\/public-worker-[\da-f]+)\.js$/

interface Policy {
  createScriptURL(url: string): string
}
interface Policies {
  createPolicy(name: string, rules: Policy): Policy
}

const rules: Policy = {
  createScriptURL(asked) {
    if (OWN.test(asked)) return asked
    throw new TypeError('The console loads no such script')
  },
}
let policy: Policy | undefined

/** The address of such a script. Trusted Types allow no other. */
export function ownScript(path: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: Policies }
  policy ??= trustedTypes?.createPolicy('console', rules) ?? rules
  return policy.createScriptURL(path)
}
