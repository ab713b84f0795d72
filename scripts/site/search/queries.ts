/**
 * What readers type, and the pages that answer it: the search must show one of them among its first three results. Add
 * what readers did not find.
 *
 * @module
 */
export interface Query {
  readonly text: string
  /** Slugs, any of them good. */
  readonly pages: readonly string[]
}

export const QUERIES: readonly Query[] = [
  { text: 'quickstart', pages: ['quickstart'] },
  { text: 'lost my key', pages: ['rotate-or-lose-a-key', 'backup', 'rotation'] },
  { text: 'stale_head', pages: ['errors', 'chain'] },
  { text: 'verify an anchor offline', pages: ['verify-offline', 'anchors', 'verification'] },
  { text: 'rate limit', pages: ['limits'] },
  { text: '429', pages: ['limits', 'errors', 'first-client'] },
  { text: 'pair a phone', pages: ['pairing', 'devices', 'notes-on-two-devices', 'concept-devices'] },
  { text: 'passkey', pages: ['auth', 'add-sign-in'] },
  { text: 'password login', pages: ['auth', 'add-sign-in'] },
  { text: 'opt out of ai training', pages: ['declare-ai-use', 'consent', 'concept-consent'] },
  { text: 'ml-dsa test vectors', pages: ['vectors'] },
  { text: 'prekeys', pages: ['keys', 'concept-key-directory'] },
  { text: 'webhook', pages: ['event-hooks'] },
  { text: 'delete a note', pages: ['notes', 'notes-on-two-devices', 'api-core-notes'] },
  { text: 'seed words paper', pages: ['backup'] },
  { text: 'kms signer', pages: ['signers'] },
  { text: 'what can the operator read', pages: ['concept-trust', 'threat-model', 'operating'] },
  { text: 'stripe', pages: ['pay', 'charge-for-it'] },
  { text: 'deploy to cloudflare', pages: ['deploying', 'run-it-for-others'] },
  { text: 'x-request-id', pages: ['errors', 'first-client', 'operating'] },
  { text: 'cors origin not allowed', pages: ['origins', 'errors'] },
  { text: 'stolen key', pages: ['rotate-or-lose-a-key', 'rotation', 'concept-rotation'] },
  { text: 'find copies of an image', pages: ['image-fingerprint', 'search', 'concept-search'] },
  { text: 'find similar text', pages: ['search', 'concept-search', 'fingerprint', 'prove-what-you-made'] },
  { text: 'inclusion proof', pages: ['anchors', 'concept-anchors', 'glossary'] },
  { text: 'what is a scope', pages: ['glossary', 'identity', 'concept-identity'] },
  { text: 'c2pa', pages: ['comparison'] },
  { text: 'POST /api/chain/append', pages: ['api-core-chain', 'chain'] },
  { text: 'assertion expired clock', pages: ['errors', 'assertions', 'first-client'] },
  { text: 'contact form', pages: ['inbox', 'receive-messages'] },
  { text: 'transparancy log', pages: ['keys', 'concept-key-directory', 'verification', 'glossary'] },
]
