import type { ErrorName } from '#client/functions'
import { nextStepOf } from '../advice/next-step.ts'
import { invalid, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { argument, type Given, option, type Result } from '../result.ts'

/** Offline, with the code of the services. `-` reads the assertion from standard input. */
export async function explainAssertion(context: Context, given: Given): Promise<Result> {
  const { explain } = await import('#client/functions')
  const url = option(given, 'url')
  if (url === undefined || !URL.canParse(url))
    throw usage('The address of the request is missing', 'pass it with --url')
  const typed = argument(given, 0)
  const assertion = typed === '-' ? (await context.readText('-')).trim() : typed
  const data = option(given, 'data')
  const explanation = await explain(assertion, {
    method: option(given, 'method') ?? 'GET',
    url,
    now: context.environment.now(),
    ...(data !== undefined && { body: await context.read(data) }),
  })
  const { ok, code, member, text, unknown } = explanation
  return {
    data: explanation,
    text: [
      `${ok ? 'ok' : `refused, ${code}${member === null ? '' : ` (${member})`}`}: ${text}`,
      ...unknown.map((one) => `  only the service knows ${one}`),
    ],
    exitCode: ok ? EXIT.ok : EXIT.invalid,
  }
}

export async function explainBlock(context: Context, given: Given): Promise<Result> {
  const { blockHash, chainBlockSchema, didOf, isSigned, verifyBlockSignature } = await import('#client/functions')
  const parsed = chainBlockSchema.safeParse(await context.readJson(argument(given, 0)))
  if (!parsed.success) throw invalid('malformed', 'This is not a block', 'pass the JSON of one block')
  const block = parsed.data
  const signature = !isSigned(block) ? 'missing' : (await verifyBlockSignature(block)) ? 'valid' : 'invalid'
  const shown = {
    index: block.index,
    profile: block.version,
    at: new Date(Number(block.timestamp)).toISOString(),
    hash: isSigned(block) ? blockHash(block) : null,
    previousHash: block.previousHash,
    contentType: block.contentType ?? null,
    epoch: 'epoch' in block ? block.epoch : null,
    signer: didOf(block.ownerPublicKey),
    signature,
  }
  return {
    data: shown,
    text: Object.entries(shown).map(([name, value]) => `${name.padEnd(13)} ${value ?? 'none'}`),
    exitCode: signature === 'valid' ? EXIT.ok : EXIT.invalid,
  }
}

/** Whose it is depends on the kind, so the signature is for `svc verify`. */
export async function explainStatement(context: Context, given: Given): Promise<Result> {
  const { STATEMENT_TYPES, statementHash } = await import('#client/functions')
  const value = await context.readJson(argument(given, 0))
  const signed = isRecord(value) && isRecord(value['statement']) ? value : { statement: value, signatureB64u: null }
  const { statement } = signed
  if (!isRecord(statement) || typeof statement['type'] !== 'string')
    throw invalid('malformed', 'This is not a statement', 'pass the JSON of a statement, with or without its signature')
  const { type, realm, issuedAt } = statement
  const isKnown = (STATEMENT_TYPES as readonly string[]).includes(type)
  const shown = {
    type,
    isKnown,
    realm: typeof realm === 'string' ? realm : null,
    issuedAt: typeof issuedAt === 'number' ? new Date(issuedAt).toISOString() : null,
    hash: statementHash(statement),
    isSigned: typeof signed['signatureB64u'] === 'string',
    statement,
  }
  return {
    data: shown,
    text: [
      `type      ${type}${isKnown ? '' : ', which this version does not know'}`,
      `realm     ${shown.realm ?? 'none: it counts nowhere'}`,
      `issued    ${shown.issuedAt ?? 'no time'}`,
      `hash      ${shown.hash}`,
      `signature ${shown.isSigned ? 'there; svc verify checks it' : 'none'}`,
    ],
    exitCode: isKnown ? EXIT.ok : EXIT.invalid,
  }
}

export async function explainError(context: Context, given: Given): Promise<Result> {
  const { ERRORS, serviceErrorOf } = await import('#client/functions')
  const name = argument(given, 0)
  if (!Object.hasOwn(ERRORS, name))
    throw usage(`No service answers the error "${name}"`, 'check the name: it is the member `error` of the answer')
  const error = name as ErrorName
  const { status, text } = ERRORS[error]
  const { docsPath } = serviceErrorOf(status, { error }, new Headers())
  const shown = { error, status, text, next: nextStepOf(error), page: (await context.docs()) + docsPath }
  return {
    data: shown,
    text: [`${error}, ${status}: ${text}.`, `Next: ${shown.next}`, `See ${shown.page}`],
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
