export const DRAFT_AS = ['answers', 'invitation', 'officers', 'policy', 'policy_signature'] as const

/** What proves nothing by itself, with its value. */
export interface Draft {
  readonly as: (typeof DRAFT_AS)[number]
  readonly value: unknown
}

const NAMES: Readonly<Record<string, Draft['as']>> = {
  'svc/evidence/v1': 'answers',
  'svc/org-inception/v1': 'officers',
  'svc/org-invitation/v1': 'invitation',
  'svc/org-officers/v1': 'officers',
}

/** What commands of svc hand to each other before it is signed and published; null for everything else. */
export function draftOf(value: Readonly<Record<string, unknown>>): Draft | null {
  const { format, type, policy, previousPolicyId, nonce, alg, publicKeyB64u, signatureB64u } = value
  const name = format ?? type
  const named = typeof name === 'string' && Object.hasOwn(NAMES, name) ? NAMES[name] : undefined
  if (named !== undefined) return { as: named, value }
  if (policy !== undefined && typeof previousPolicyId === 'string' && typeof nonce === 'string')
    return { as: 'policy', value }
  const isSignature = typeof publicKeyB64u === 'string' && typeof signatureB64u === 'string'
  return typeof alg === 'string' && isSignature ? { as: 'policy_signature', value } : null
}
