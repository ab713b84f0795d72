import * as z from 'zod'
import type { Client, PolicyProposal } from '#client'
import { shellWordOf } from '#client/text'
import { invalid, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { mustBeNew, writeNew } from '../files.ts'
import { argument, type Given, list, option, type Result } from '../result.ts'

type Policy = Parameters<Client['governance']['propose']>[0]
type Signed = Awaited<ReturnType<Client['governance']['attest']>>

/** As much as is shown before somebody signs. The SDK and core check the rest. */
const proposalSchema = z.looseObject({
  policy: z.looseObject({ threshold: z.int(), signers: z.array(z.looseObject({ id: z.string() })) }),
  previousPolicyId: z.string(),
  nonce: z.string(),
})

export async function showPolicy(context: Context): Promise<Result> {
  const record = await (await context.client()).governance.policy()
  const { threshold, signers } = record.policy
  return {
    data: record,
    text: [record.policyId, `${threshold} of ${signers.length} signers`, ...signers.map(({ id }) => `  ${id}`)],
  }
}

export async function propose(context: Context, given: Given): Promise<Result> {
  const policy = await policyIn(context, argument(given, 0))
  const name = option(given, 'out') ?? 'proposal.json'
  const file = context.pathOf(name)
  const proposal = await (await context.client()).governance.propose(policy)
  if (!context.options.dryRun) await writeNew(file, `${JSON.stringify(proposal, null, 2)}\n`)
  return {
    data: { file, previousPolicyId: proposal.previousPolicyId },
    text: [
      `${context.options.dryRun ? 'Would write' : 'Wrote'} ${file}`,
      `Next: enough signers of the policy in force run svc governance sign ${shellWordOf(name)}`,
    ],
  }
}

/** The person sees what the proposal changes before anything is signed. */
export async function sign(context: Context, given: Given): Promise<Result> {
  const name = argument(given, 0)
  const proposal = await proposalIn(context, name)
  const file = context.pathOf(option(given, 'out') ?? `${name}.signed.json`)
  const { threshold, signers } = proposal.policy
  const what = `the policy of ${threshold} of ${signers.length} signers: ${signers.map(({ id }) => id).join(', ')}`
  if (context.options.dryRun) return { data: { file }, text: `Would sign ${what}` }
  await mustBeNew(file)
  await context.confirm(`Sign ${what}?`)
  const signed = await (await context.client()).governance.attest(proposal)
  await writeNew(file, `${JSON.stringify(signed, null, 2)}\n`)
  return { data: { file }, text: [`Wrote ${file}`, 'Next: hand it to the person who publishes the proposal'] }
}

export async function publish(context: Context, given: Given): Promise<Result> {
  const proposal = await proposalIn(context, argument(given, 0))
  const files = list(given, 'signed')
  if (files.length === 0)
    throw usage('The signatures are missing', 'pass the files of svc governance sign with --signed')
  const signed = await Promise.all(files.map(async (file) => (await context.readJson(file)) as Signed))
  if (context.options.dryRun) return { data: {}, text: `Would publish it with ${signed.length} signatures.` }
  await context.confirm(`Put the policy of ${proposal.policy.signers.length} signers in force?`)
  const record = await (await context.client()).governance.publish(proposal, signed)
  return { data: record, text: `${record.policyId} is in force.` }
}

export async function audit(context: Context): Promise<Result> {
  const policies = []
  for await (const entry of (await context.client()).governance.audit()) policies.push(entry)
  return {
    data: { policies },
    text: policies.map(({ at, policyId, signers }) => `${at}  ${policyId.slice(0, 16)}…  by ${signers.join(', ')}`),
  }
}

async function policyIn(context: Context, name: string): Promise<Policy> {
  const { governancePolicySchema } = await import('#client/functions')
  const parsed = governancePolicySchema.safeParse(await context.readJson(name))
  if (parsed.success) return parsed.data
  const { path = [], message = '' } = parsed.error.issues[0] ?? {}
  throw usage(
    `${name} is not a policy: ${path.join('.')} ${message}`,
    'svc governance show --json has one to start from',
  )
}

async function proposalIn(context: Context, name: string): Promise<PolicyProposal> {
  const parsed = proposalSchema.safeParse(await context.readJson(name))
  if (parsed.success) return parsed.data as unknown as PolicyProposal
  throw invalid('malformed', `${name} is not a proposal`, 'pass the file that svc governance propose wrote')
}
