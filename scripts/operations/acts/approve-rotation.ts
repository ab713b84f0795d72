import { createInterface } from 'node:readline/promises'
import { Client } from '@svc/client'
import { visibleJsonOf, visibleLineOf } from '@svc/client/text'
import { UsageError } from '@svc/platform/entry'
import { SetupError } from '@svc/platform/workspace'
import { type SignedRotationRequest, signedRotationRequestSchema } from '@svc/protocol/chain/rotation'
import type { Signing } from '../signing-command.ts'
import { examineApproval } from './approval.ts'
import { readJsonFile } from './json-file.ts'
import { type OperatorAct, sendOperatorAct } from './operator-act.ts'

/** Characters of the new key's `userId` that the operator must have from the owner: 64 bits. */
const CONFIRMED_CHARACTERS = 16

/** Shows what an approval would do against verified evidence, asks for the new key's userId, and sends the act. */
export async function approveRotation(
  { core, did: didService, realm, seed, request: file, newKey }: Signing,
  did: string,
  rotationId: string,
): Promise<number> {
  const { keyHistory, realms } = new Client({ core, did: didService, realm })
  const [keys, shown] = [await keyHistory.of(did), await keyHistory.rotation(did)]
  const carried = file === undefined ? null : readRequest(file)
  const { evidence, warnings, newUserId, request } = await examineApproval({
    did,
    rotationId,
    keys,
    realms,
    shown,
    carried,
  })
  for (const line of evidence) console.log(visibleLineOf(line))
  for (const warning of warnings) console.log(`Warning: ${visibleLineOf(warning)}`)
  if (!(await isConfirmed(newUserId, newKey))) return 1
  const act: OperatorAct = {
    type: 'svc/operator-rotation-approve/v1',
    service: 'core',
    members: { did, rotationId, ...(request && { request }) },
  }
  const response = await sendOperatorAct({ service: core, realm }, seed(), act)
  console.log(visibleJsonOf(await response.json(), 2))
  return response.ok ? 0 : 1
}

/** The owner's word, over a channel that the operator trusts, is the only evidence that a thief cannot sign. */
async function isConfirmed(newUserId: string, given: string | undefined): Promise<boolean> {
  const typed = given ?? (await ask())
  if (typed.length >= CONFIRMED_CHARACTERS && newUserId.startsWith(typed)) return true
  console.error(
    `Not approved: the new key has another userId, or you gave fewer than ${CONFIRMED_CHARACTERS} characters.`,
  )
  return false
}

async function ask(): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new UsageError(
      'Pass --new-key with the userId of the new key, as the owner told you over a channel you trust',
    )
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    const question = `Ask the owner for the new key's userId, over a channel you trust. Its first ${CONFIRMED_CHARACTERS} characters: `
    return (await terminal.question(question)).trim().toLowerCase()
  } finally {
    terminal.close()
  }
}

function readRequest(file: string): SignedRotationRequest {
  const parsed = signedRotationRequestSchema.safeParse(readJsonFile(file))
  if (!parsed.success) throw new SetupError(`${file} is not a signed rotation request.`)
  return parsed.data
}
