import * as z from 'zod'
import { count, deviceId, did, file, list, maybe, rotation, text, time } from './members.ts'

const ended = list(deviceId, 'ids of the devices that have to be paired again')

/** Results of the commands that replace the root key, by command. */
export const ROTATION_RESULTS: Readonly<Record<string, z.ZodObject>> = {
  'rotate start': rotation.extend({
    keys: file('the new root key, encrypted'),
    newUserId: text('userId of the new key, for an operator who approves'),
    status: text('`pending` or `approved`; `unsent` if it is in a file'),
    deadline: maybe(time('when it can be activated'), 'if it waits for an approval or was not sent'),
    request: maybe(file('the request, for a device to co-sign'), 'if it was sent'),
  }),
  'rotate status': z.strictObject({ rotation: maybe(rotation.describe('the newest'), 'if there was none') }),
  'rotate veto': rotation,
  'rotate cosign': rotation,
  'rotate activate': rotation.extend({
    devices: count('how many devices of this machine were attested again'),
    ended,
    recovery: maybe(
      file('the recovery file of the new root key'),
      'without sheets, or if the machine does not know all of them',
    ),
  }),
  'rotate history': z.strictObject({
    did,
    keys: list(
      z.looseObject({
        epoch: z.int(),
        userId: z.string(),
        publicKeyB64u: z.string(),
        activated: z.enum(['proved', 'claimed']),
      }),
      'each root key with `epoch`, `userId`, `publicKeyB64u`, the `commitment` to the next ones, and `activated`: `proved` by the log of the key directory, or `claimed` by core',
    ),
  }),
  'recovery prepare': z.strictObject({
    did,
    recovery: file('the recovery file; without sheets, the encrypted recovery key'),
  }),
  'recovery confirm': z.strictObject({
    did,
    sheet: count('number of the sheet, from 1'),
    confirmedAt: time('when'),
  }),
  'recovery sheet': z.strictObject({
    did,
    epoch: count('the epoch of the key, once it is the root key'),
    words: list(z.string(), 'the 24 words'),
    code: text('the same in one line, with the key that messages are encrypted to'),
  }),
  'recovery status': z.strictObject({
    stage: text('how far it is, such as `ready`, `waiting` or `done`'),
    next: z.looseObject({}).describe('what comes next: `act`, and `at` if it has a time'),
    isCommitted: z
      .boolean()
      .describe('whether the identity has committed to its next keys; then no device has to co-sign'),
    isOurs: z.boolean().describe('whether `rotation` is this recovery'),
    isRival: z
      .boolean()
      .describe('whether a rotation with other words of the identity is pending, requested by the owner or a thief'),
    summary: text('the stage in a sentence'),
    rotation: z.unknown().describe('the newest rotation; null if there was none'),
  }),
  'recovery operator': z.strictObject({
    file: file('the request'),
    rotationId: text('id of the request'),
    newUserId: text('userId of the new key, which the operator asks you for'),
  }),
  'recovery run': z.strictObject({
    status: z.looseObject({}).describe('as of `svc recovery status`'),
    acts: list(z.string(), 'what was done now'),
    needs: maybe(text('who has to act: `device`, `operator` or `owner`'), 'if nobody'),
    request: z.unknown().describe('what the operator needs; null if nothing'),
    ended,
  }),
}
