import * as z from 'zod'
import { ORDERS, SIGNER_STATES } from '#client/evidence'

/** Members that several results have. */
export const did = z.string().describe('DID of the identity')
export const deviceId = z.string().describe('id of the device')
export const assetId = z.string().describe('id of the asset')
export const noteId = z.string().describe('id of the note')
export const version = z.int().min(1).describe('number of the version, from 1')
export const hash = z.string().describe('SHA3-384, 96 hex characters')
export const bytes = z.int().min(0).describe('how many bytes')
export const text = (about: string) => z.string().describe(about)
export const count = (about: string) => z.int().min(0).describe(about)
export const time = (about: string) => z.int().describe(`${about}, epoch ms`)
export const isoTime = (about: string) => z.string().describe(`${about}, RFC 3339`)
export const file = (about = 'the file that was written') => z.string().describe(about)
export const maybe = <S extends z.ZodType>(schema: S, otherwise: string) =>
  schema.nullable().describe(`${schema.description ?? ''}; null ${otherwise}`)
export const list = <S extends z.ZodType>(of: S, about: string) => z.array(of).describe(about)

/** A schema of the API, by its name in the `openapi.json` of a service. */
export const api = (service: string, name: string, about: string) =>
  z.unknown().meta({ description: about, $ref: refOf(service, name) })

export const refOf = (service: string, name: string) => `${service}/openapi.json#/components/schemas/${name}`

const toldCheck = z.strictObject({ check: text('what was looked at'), detail: text('what was found') })

export const verdict = z.strictObject({
  kind: text('what it is, such as `chain`, `anchor` or `did`'),
  verdict: z
    .enum(['valid', 'undecided'])
    .describe(
      '`valid` only if the file that it is about was compared; what is refuted is a failure with the exit code 3',
    ),
  did: maybe(text('whose it is'), 'if nobody’s, or unknown'),
  signer: maybe(
    z.enum(SIGNER_STATES).describe('what the key that signed it is today'),
    'if nobody who knows was asked, or no identity signs this',
  ),
  order: maybe(
    z.enum(ORDERS).describe('the proof that it was signed before its key ended; `unknown` if there is none'),
    'if no identity signs this',
  ),
  proved: list(toldCheck, 'each thing that was proved here: `check` and `detail`'),
  notCompared: list(toldCheck, 'each thing that nothing here proves or refutes: `check` and `detail`'),
  next: maybe(text('what to do to decide the rest'), 'if there is nothing'),
})

export const rotation = z.strictObject({
  rotationId: text('id of the request'),
  kind: text('`rotation` or `deactivation`'),
  status: text('`pending`, `approved`, `active`, `frozen` or `cancelled`'),
  basis: text(
    'the keys that it rests on: `root`, `full` for root key and sheet, `successor` for a sheet alone, or `replacement` for root key and device, which takes 30 days',
  ),
  version: count('1 waits for the operator, 2 for a window'),
  epoch: count('the epoch that it leads to'),
  deadline: maybe(time('when it can be activated'), 'if it waits for an approval'),
  cosignatures: count('how many devices have co-signed'),
})

/** A result that is a file. */
export const written = {
  file: maybe(file(), 'without `--out`'),
  content: maybe(text('the file itself'), 'with `--out`'),
}

export const readBytes = {
  bytes,
  file: maybe(file(), 'without `--out`'),
  contentB64u: maybe(text('the bytes as base64url'), 'with `--out`'),
}
