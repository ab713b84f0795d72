import { stat } from 'node:fs/promises'
import type { Client } from '#client'
import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { argument, type Given, option, type Result } from '../result.ts'
import { publishLines, recordLines } from './record-lines.ts'

type Preferences = Parameters<Client['consent']['publish']>[1]

export async function setConsent(context: Context, given: Given): Promise<Result> {
  const identifier = argument(given, 0)
  const preferences = preferencesOf(given)
  await mustBeNoFile(context, identifier)
  if (context.options.dryRun) return { data: { preferences }, text: `Would declare ${JSON.stringify(preferences)}.` }
  const { consent } = await context.client()
  const known = await consent.read(identifier)
  const isOurs = known.found && known.creator_did === (await context.did())
  // Of an identifier that somebody else holds, a declaration is refused, and kept as a claim.
  const record = await (isOurs ? consent.update(identifier, preferences) : consent.publish(identifier, preferences))
  return { data: record, text: [JSON.stringify(record.preferences), ...publishLines(record)] }
}

/** The name of a file says nothing about it to anybody else, and would be published. */
async function mustBeNoFile(context: Context, identifier: string): Promise<void> {
  const found = await stat(context.pathOf(identifier)).catch(() => null)
  if (!found?.isFile()) return
  const { hashOf } = await import('#client/functions')
  const hash = await hashOf(await context.read(identifier))
  throw usage(
    `${identifier} is a file here, and a declaration is about an identifier that others can find`,
    `declare for the address where it is published, such as https://example.org/picture.png, or for its hash: svc consent set sha3-384:${hash}`,
  )
}

function preferencesOf(given: Given): Preferences {
  const chosen = [
    ['ai_training', option(given, 'training')],
    ['search', option(given, 'search')],
  ].filter(([, choice]) => choice !== undefined)
  if (chosen.length === 0) throw usage('Nothing is declared', 'pass --training or --search')
  for (const [, choice] of chosen)
    if (choice !== 'allow' && choice !== 'disallow')
      throw usage(`"${choice}" is not a choice`, 'pass allow or disallow')
  return Object.fromEntries(chosen) as Preferences
}

export async function getConsent(context: Context, given: Given): Promise<Result> {
  const read = await (await context.client('nobody')).consent.read(argument(given, 0))
  return { data: read, text: read.found ? [...recordLines(read), ...publishLines(read)] : 'Nothing is declared.' }
}

export async function consentHistory(context: Context, given: Given): Promise<Result> {
  const timeline = await (await context.client('nobody')).consent.history(argument(given, 0))
  if (!timeline) return { data: { creatorDid: null, acts: [], claims: [] }, text: 'Nothing was ever declared.' }
  const { creatorDid, acts, claims } = timeline
  return {
    data: { creatorDid, acts, claims },
    text: [
      creatorDid === null ? 'Nobody holds it now.' : `held by ${creatorDid}`,
      ...acts.map(
        (act) =>
          `${new Date(act.recorded_at).toISOString()}  ${act.action}${'preferences' in act && act.preferences ? `: ${spoken(act.preferences)}` : ''}`,
      ),
      ...claims.map(
        ({ creator_did: did, preferences }) => `claimed by ${did}, which counts for nothing: ${spoken(preferences)}`,
      ),
    ],
  }
}

/** `no training, search allowed`. */
function spoken(preferences: Preferences): string {
  const told = Object.entries(preferences).map(([name, choice]) => `${name} ${choice}`)
  return told.length === 0 ? 'nothing' : told.join(', ')
}

/** Of a bucket, the service learns that somebody asked, and not what about. */
export async function consentSnapshot(context: Context, given: Given): Promise<Result> {
  const { consentBucketOf } = await import('#client/functions')
  const asked = given.args.flat().filter((one) => one !== undefined)
  const { consent } = await context.client('nobody')
  const snapshot = await consent.snapshot({ buckets: asked.map(consentBucketOf) })
  const results = asked.map((identifier) => snapshot.lookUp(identifier))
  return {
    data: { at: snapshot.at, results },
    text: [
      `as of ${new Date(snapshot.at).toISOString()}`,
      ...results.map((one) => `${one.hash}  ${one.found ? spoken(one.preferences) : 'nothing declared'}`),
    ],
  }
}

export async function consentBatch(context: Context, given: Given): Promise<Result> {
  const text = await context.readText(argument(given, 0))
  const identifiers = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))
  if (identifiers.length === 0) throw usage('The file has no identifiers', 'write one on each line')
  const results = await (await context.client('nobody')).consent.readMany(identifiers).catch((error: unknown) => {
    if (error instanceof TypeError) throw usage(error.message, 'identifiers have 16 to 256 characters')
    throw error
  })
  return {
    data: { results },
    text: results.map((one) => `${one.hash}  ${one.found ? JSON.stringify(one.preferences) : 'nothing declared'}`),
  }
}

export async function revokeConsent(context: Context, given: Given): Promise<Result> {
  const identifier = argument(given, 0)
  if (context.options.dryRun)
    return { data: { identifier }, text: `Would take back what is declared for ${identifier}.` }
  await context.confirm(`Take back what is declared for ${identifier}?`)
  const revoked = await (await context.client()).consent.revoke(identifier)
  return { data: revoked, text: `Nothing is declared for ${identifier} any more.` }
}
