import { rm } from 'node:fs/promises'
import * as z from 'zod'
import type { Client, OpenContact } from '#client'
import { shellWordOf } from '#client/text'
import { invalid, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { mustBeNew, writeNew } from '../files.ts'
import { argument, type Given, option, type Result } from '../result.ts'
import { readTextFile } from '../texts.ts'
import { replyKeyPlace, writeReplyKey } from './reply-key.ts'

type Envelope = Awaited<ReturnType<Client['contact']['seal']>>

const pendingSchema = z.strictObject({
  format: z.literal('svc/pending-message/v1'),
  core: z.string(),
  contact: z.looseObject({
    requestId: z.string(),
    owner: z.string(),
    ownerIs: z.enum(['pinned', 'claimed']),
    keyIs: z.enum(['proved', 'claimed']),
  }),
  /** Encrypted to the owner. */
  envelope: z.looseObject({}),
})

interface Sealed {
  readonly contact: OpenContact
  readonly envelope: Envelope
}

/**
 * Needs no identity. The message is encrypted before anything is sent; without a terminal it waits in a file for the
 * code, because nobody can type it here.
 */
export async function send(context: Context, given: Given): Promise<Result> {
  const assetId = argument(given, 0)
  const [email, name, subject, file] = ['from', 'name', 'subject', 'file'].map((one) => needed(given, one))
  const challengeToken = option(given, 'challenge')
  if (challengeToken === undefined)
    throw usage(
      'The token of the human check is missing',
      'pass --challenge; a local start takes XXXX.DUMMY.TOKEN.XXXX',
    )
  const message = await context.readText(file ?? '')
  const owner = option(given, 'owner')
  if (context.options.dryRun)
    return { data: owner === undefined ? {} : { owner }, text: `Would ask for a code at ${email}.` }
  const path = context.pathOf(option(given, 'out') ?? 'message.pending.json')
  await mustBeNew(path)
  const place = await replyKeyPlace(context, given)
  const client = await context.client('nobody')
  const { contact } = client
  const opened = await contact.request({
    assetId,
    fromEmail: email ?? '',
    challengeToken,
    ...(owner !== undefined && { owner }),
  })
  if (opened.ownerIs === 'claimed') {
    context.output.warn(`The service says that ${opened.owner} owns the asset. Pass --owner if you know who does.`)
    if (context.environment.isTerminal) await context.confirm(`Write to ${opened.owner}?`)
  }
  const sentAt = context.environment.now()
  const words = { name: name ?? '', email: email ?? '', subject: subject ?? '', message, sentAt }
  const draft = place ? { ...words, replyKeyB64u: await writeReplyKey(client, opened, place) } : words
  const envelope = await contact.seal(opened, draft)
  const { core } = await context.profile()
  const pending = { format: 'svc/pending-message/v1', core, contact: opened, envelope } as const
  await writeNew(path, `${JSON.stringify(pending)}\n`)
  const replyKey = place?.path ?? null
  const code = await typedCode(context, email ?? '')
  if (code !== null) {
    const { data, text } = await delivered(context, path, { contact: opened, envelope }, code)
    return { data: { ...data, replyKey }, text: [text, ...keepIt(replyKey)] }
  }
  const { owner: to, ownerIs, keyIs, requestId } = opened
  return {
    data: { owner: to, ownerIs, keyIs, pending: path, requestId, deliveredAt: null, replyKey },
    text: [`A code was sent to ${email}.`, `Next: svc inbox deliver ${shellWordOf(path)} CODE`, ...keepIt(replyKey)],
    exitCode: EXIT.pending,
  }
}

const keepIt = (replyKey: string | null) =>
  replyKey === null
    ? []
    : [`Keep ${replyKey}: svc inbox open REPLY --reply-key ${shellWordOf(replyKey)} opens the reply.`]

export async function deliver(context: Context, given: Given): Promise<Result> {
  const [name, code] = [argument(given, 0), argument(given, 1)]
  const path = context.pathOf(name)
  const text = await readTextFile(path, 'pass the file that svc inbox send wrote')
  const parsed = pendingSchema.safeParse(jsonOf(text))
  if (!parsed.success)
    throw invalid('malformed', `${name} is not a message that waits`, 'pass the file that svc inbox send wrote')
  if (context.options.dryRun) return { data: { owner: parsed.data.contact.owner }, text: `Would deliver ${name}.` }
  return delivered(context, path, parsed.data as unknown as Sealed, code)
}

/** Kept until it is delivered: after a lost answer, the same envelope is sent again. */
async function delivered(context: Context, path: string, { contact: opened, envelope }: Sealed, code: string) {
  const { contact } = await context.client('nobody')
  const { requestId, deliveredAt } = await contact.verify(opened, code, envelope)
  const { owner, ownerIs, keyIs } = opened
  await rm(path, { force: true })
  return {
    data: { owner, ownerIs, keyIs, pending: null, requestId, deliveredAt },
    text: `Delivered to ${owner}.`,
  }
}

/** Null without a terminal. */
async function typedCode({ environment, output }: Context, email: string): Promise<string | null> {
  const { isTerminal, prompts } = environment
  return isTerminal ? output.asking(() => prompts.text(`The code that was sent to ${email}`)) : null
}

function needed(given: Given, name: string): string {
  const value = option(given, name)
  if (value !== undefined) return value
  throw usage(`--${name} is missing`, 'svc inbox send --help shows what a message needs')
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
