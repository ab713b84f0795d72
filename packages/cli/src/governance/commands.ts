import type { CommandSpec } from '../command.ts'

export const GOVERNANCE_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'governance show',
    summary: 'Show the policy in force, verified by its id',
    result: 'GovernancePolicyRecord of core',
    examples: ['svc governance show'],
    page: '/developer/governance',
    run: async (context) => (await import('./governance.ts')).showPolicy(context),
  },
  {
    path: 'governance propose',
    summary: 'Write a proposal that replaces the policy, for its signers to sign',
    args: ['<policy>'],
    options: [['--out <file>', 'default: proposal.json']],
    result: ['file', 'previousPolicyId'],
    examples: ['svc governance propose policy.json'],
    run: async (context, given) => (await import('./governance.ts')).propose(context, given),
  },
  {
    path: 'governance sign',
    summary: 'Sign a proposal, as a signer of the policy in force',
    args: ['<proposal>'],
    options: [['--out <file>', 'default: the file with .signed.json']],
    result: ['file'],
    examples: ['svc governance sign proposal.json --yes'],
    run: async (context, given) => (await import('./governance.ts')).sign(context, given),
  },
  {
    path: 'governance publish',
    summary: 'Put a proposal in force, with what enough signers have signed',
    args: ['<proposal>'],
    options: [['--signed <files...>', 'what svc governance sign wrote']],
    result: 'GovernancePolicyRecord of core',
    examples: ['svc governance publish proposal.json --signed proposal.json.signed.json --yes'],
    run: async (context, given) => (await import('./governance.ts')).publish(context, given),
  },
  {
    path: 'governance audit',
    summary: 'List the policies that came into force, oldest first',
    result: ['policies'],
    examples: ['svc governance audit'],
    run: async (context) => (await import('./governance.ts')).audit(context),
  },
]
