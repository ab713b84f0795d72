import { bytesOf } from '#protocol/base/base64url'
import { didOf, userIdOfKey } from '#protocol/base/identity'
import type { Realms } from '#protocol/base/realm'
import { verifyStatement } from '#protocol/base/statement'
import { type DidDocument, kemKeyMultibase, rootKeyMultibase } from '#protocol/did/did'
import type { KeyHistory } from '../chain/key-history.ts'
import { unverified } from '../verification/verification-error.ts'

/**
 * Returns the root epoch of a document. Rejects a document with a key that its DID does not vouch for: a caller may use
 * any method in it, so each one is checked, and only the root key and what it states may be present.
 *
 * A rotated-in root key does not derive to the DID, and the resolver's claim is not proof: the key must be the last one
 * in the verified history from core.
 */
export async function checkDocument(
  did: string,
  document: DidDocument,
  { history, realms }: { readonly history: KeyHistory | undefined; readonly realms: Realms },
  expectedEpoch?: number,
): Promise<number> {
  if (document.id !== did)
    throw unverified('resolution', 'wrong_identity', 'The document belongs to another DID', {
      where: { member: 'didDocument.id' },
      evidence: document,
    })
  const { verificationMethod: methods, authentication, assertionMethod, capabilityInvocation } = document
  const rootKey = methods.find((method) => method.publicKeyJwk)?.publicKeyJwk?.pub
  if (rootKey === undefined)
    throw unverified('resolution', 'no_key', 'The document has no root key', {
      where: { member: 'didDocument.verificationMethod' },
      evidence: document,
    })
  const root = await rootOf(did, rootKey, history, expectedEpoch)
  if (root === null)
    throw unverified('resolution', 'wrong_key', 'The root key does not match the DID', {
      where: { member: 'didDocument.verificationMethod' },
      evidence: document,
    })
  const multibase = rootKeyMultibase(rootKey)
  for (const { controller, publicKeyJwk, publicKeyMultibase } of methods) {
    const isRoot = (publicKeyJwk?.pub ?? rootKey) === rootKey && (publicKeyMultibase ?? multibase) === multibase
    const isEmpty = publicKeyJwk === undefined && publicKeyMultibase === undefined
    if (controller !== did || isEmpty || !isRoot)
      throw unverified('resolution', 'wrong_key', 'A verification method is not the root key', {
        where: { member: 'didDocument.verificationMethod' },
        evidence: document,
      })
  }
  const ids = new Set(methods.map(({ id }) => id))
  if (![...authentication, ...assertionMethod, ...capabilityInvocation].every((id) => ids.has(id))) {
    throw unverified('resolution', 'mismatch', 'The document refers to a key that it does not contain', {
      where: { member: 'didDocument' },
      evidence: document,
    })
  }
  for (const method of document.keyAgreement ?? []) {
    if (!(await isStated(did, root.scope, method, { rootKey, realms })))
      throw unverified('resolution', 'invalid_signature', 'The root key does not state the key-agreement key', {
        where: { member: 'didDocument.keyAgreement' },
        evidence: document,
      })
  }
  return root.epoch
}

/** The epoch of a root key and the scope of its identity, or null if it is not the DID's root key. */
async function rootOf(
  did: string,
  rootKey: string,
  history: KeyHistory | undefined,
  expectedEpoch: number | undefined,
): Promise<{ readonly scope: string; readonly epoch: number } | null> {
  if (!history) {
    const userId = userIdOfKey(rootKey)
    return didOf(userId) === did ? { scope: userId, epoch: 0 } : null
  }
  // Core stores the keys, the resolver does not: a document with a superseded key is outdated.
  const keys = await history.of(did)
  const key = expectedEpoch === undefined ? keys.at(-1) : keys[expectedEpoch]
  return key?.publicKeyB64u === rootKey ? { scope: keys[0].userId, epoch: key.epoch } : null
}

type Method = DidDocument['verificationMethod'][number]

/** Whether the root key states exactly this KEM key for this DID. */
async function isStated(
  did: string,
  scope: string,
  method: Method,
  { rootKey, realms }: { readonly rootKey: string; readonly realms: Realms },
): Promise<boolean> {
  const { controller, publicKeyJwk, publicKeyMultibase, signedStatement } = method
  if (!signedStatement || publicKeyJwk || controller !== did) return false
  const { statement } = signedStatement
  return (
    statement.did === did &&
    statement.scope === scope &&
    publicKeyMultibase === kemKeyMultibase(statement.publicKeyB64u) &&
    (await verifyStatement(signedStatement, bytesOf(rootKey), realms))
  )
}
