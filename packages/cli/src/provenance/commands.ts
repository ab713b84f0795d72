import type { CommandSpec } from '../command.ts'

const ASSET = '<asset>'

export const CAPSULE_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'capsule sign',
    summary: 'Sign and register a file, and write the proof beside it',
    args: ['<file>'],
    options: [
      ['--mime <type>', 'its media type, such as image/jpeg'],
      ['--out <file>', 'where the proof is written (default: the file with .proof.json)'],
      ['--block', 'bind it to the chain with a block; root key only'],
      ['--vectors <file>', 'JSON with the vectors that it is found by, as another program computed them'],
    ],
    result: ['assetId', 'position', 'duplicate', 'proof'],
    examples: ['svc capsule sign photo.jpg --mime image/jpeg', 'svc capsule sign photo.png --mime image/png --block'],
    page: '/developer/prove-what-you-made',
    run: async (context, given) => (await import('./capsules.ts')).signCapsule(context, given),
  },
  {
    path: 'capsule search',
    summary: 'Find registered files by vectors that another program computed',
    args: ['<vectors>'],
    options: [['--clip', 'the frames are only a part of the video']],
    result: 'VectorMatches of provenance',
    examples: ['svc capsule search vectors.json'],
    page: '/developer/search',
    run: async (context, given) => (await import('./vectors.ts')).searchVectors(context, given),
  },
  {
    path: 'capsule open',
    summary: 'Show the registration of a file',
    args: [ASSET],
    result: 'CapsuleRecord of provenance',
    examples: ['svc capsule open ASSET'],
    run: async (context, given) => (await import('./capsules.ts')).openCapsule(context, given),
  },
  {
    path: 'capsule verify',
    summary: 'Verify a proof, and that it is of a file',
    args: ['<proof>', '[file]'],
    options: [
      ['--offline', 'ask nobody'],
      ['--evidence <file>', 'keep the public answers; with --offline, take them from there'],
      ['--did <did>', 'whose it must be'],
      ['--realm <realm>', 'the deployment it must be for, instead of the profile’s'],
    ],
    result: ['kind', 'verdict', 'did', 'signer', 'order', 'proved', 'notCompared', 'next'],
    examples: ['svc capsule verify photo.jpg.proof.json photo.jpg --offline'],
    page: '/developer/verify-offline',
    run: async (context, given) => (await import('./capsules.ts')).verifyCapsule(context, given),
  },
  {
    path: 'capsule delete',
    summary: 'Delete your registration of a file',
    args: [ASSET],
    result: ['assetId'],
    examples: ['svc capsule delete ASSET --yes'],
    run: async (context, given) => (await import('./capsules.ts')).deleteCapsule(context, given),
  },
]

export const TEXT_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'text fingerprint',
    summary: 'Compute the fingerprint of a text, offline',
    args: ['<file>'],
    result: ['assetId', 'wordCount', 'chunks'],
    examples: ['svc text fingerprint essay.txt --json'],
    page: '/developer/fingerprint',
    run: async (context, given) => (await import('./texts.ts')).fingerprint(context, given),
  },
  {
    path: 'text register',
    summary: 'Register the fingerprint of a text; the text stays here',
    args: ['<file>'],
    result: 'TextRegistered of provenance',
    examples: ['svc text register essay.txt'],
    page: '/developer/search',
    run: async (context, given) => (await import('./texts.ts')).registerText(context, given),
  },
  {
    path: 'text search',
    summary: 'Find registered texts that share passages with this one',
    args: ['<file>'],
    result: ['matches'],
    examples: ['svc text search essay.txt'],
    run: async (context, given) => (await import('./texts.ts')).searchText(context, given),
  },
  {
    path: 'text delete',
    summary: 'Delete your registration of a text',
    args: [ASSET],
    result: ['assetId'],
    examples: ['svc text delete TEXT --yes'],
    run: async (context, given) => (await import('./texts.ts')).deleteText(context, given),
  },
]

export const COMMITMENT_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'commitment make',
    summary: 'Commit to a file without revealing it, and write the opening beside it',
    args: ['<file>'],
    options: [['--out <file>', 'where the opening is written (default: the file with .opening.json)']],
    result: ['id', 'opening'],
    examples: ['svc commitment make idea.txt'],
    page: '/developer/provenance',
    run: async (context, given) => (await import('./commitments.ts')).commit(context, given),
  },
  {
    path: 'commitment verify',
    summary: 'Verify that a commitment was to a file, with its opening',
    args: ['<opening>', '<file>'],
    result: ['verdict', 'id', 'did', 'createdAt'],
    examples: ['svc commitment verify idea.txt.opening.json idea.txt'],
    run: async (context, given) => (await import('./commitments.ts')).verifyCommitment(context, given),
  },
]
