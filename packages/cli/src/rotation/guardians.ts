import type { Client } from '#client'
import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { argument, count, type Given, list, option, type Result } from '../result.ts'

type Status = Awaited<ReturnType<Client['guardians']['status']>>

export async function ask(context: Context, given: Given): Promise<Result> {
  const guardians = list(given, 'guardian')
  if (guardians.length === 0) throw usage('Nobody is asked', 'name guardians with --guardian')
  const subjectHash = await subjectOf(context, given)
  const threshold = count(given, 'threshold', guardians.length)
  if (context.options.dryRun)
    return {
      data: { subjectHash, guardians, threshold },
      text: `Would ask ${guardians.length} guardians about ${subjectHash}.`,
    }
  const client = await context.client()
  const request = await client.guardians.makeRequest({ subjectHash, guardians, threshold })
  return shown(await client.guardians.open(request))
}

export async function approve(context: Context, given: Given): Promise<Result> {
  const [requestId, subjectHash] = [argument(given, 0), await subjectOf(context, given)]
  await context.confirm(`Attest ${subjectHash} for the request ${requestId}?`)
  return shown(await (await context.client()).guardians.attest(requestId, subjectHash))
}

export async function guardianStatus(context: Context, given: Given): Promise<Result> {
  return shown(await (await context.client()).guardians.status(argument(given, 0)))
}

async function subjectOf(context: Context, given: Given): Promise<string> {
  const file = option(given, 'subject')
  if (file === undefined) throw usage('What is attested is missing', 'pass the file with --subject')
  const { hashOf } = await import('#client/functions')
  return hashOf(await context.read(file))
}

function shown(status: Status): Result {
  const { requestId, state, attested, threshold } = status
  return {
    data: status,
    text: [`request ${requestId}`, `${state}: ${attested} of ${threshold} have attested`],
    exitCode: state === 'met' ? EXIT.ok : state === 'pending' ? EXIT.pending : EXIT.refused,
  }
}
