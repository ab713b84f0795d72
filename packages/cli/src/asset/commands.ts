import type { CommandSpec } from '../command.ts'

export const ASSET_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'asset mint',
    summary: 'Record a file as an asset of this identity',
    args: ['<file>'],
    options: [
      ['--mime <type>', 'its media type, such as image/png'],
      ['--cid <cid>', 'where it is in IPFS'],
    ],
    result: 'AssetRecord of core',
    examples: ['svc asset mint photo.png --mime image/png'],
    page: '/developer/assets',
    run: async (context, given) => (await import('./asset.ts')).mint(context, given),
  },
  {
    path: 'asset show',
    summary: 'Show an asset, and whether its owner is proved',
    args: ['<asset>'],
    result: ['record', 'proof'],
    examples: ['svc asset show ASSET'],
    run: async (context, given) => (await import('./asset.ts')).show(context, given),
  },
  {
    path: 'asset transfer',
    summary: 'Give an asset to another identity',
    args: ['<asset>', '<did>'],
    result: 'AssetRecord of core',
    examples: ['svc asset transfer ASSET did:svc:RQ7Xn0nE0m1yqYb9h3JvWc2dT5KfLgAz --yes'],
    run: async (context, given) => (await import('./asset.ts')).transfer(context, given),
  },
  {
    path: 'asset export',
    summary: 'Write an asset with all transfers, as svc verify takes it',
    args: ['<asset>'],
    options: [['--out <file>', 'default: standard output']],
    result: ['assetId', 'transfers', 'file', 'content'],
    examples: ['svc asset export ASSET --out asset.json'],
    run: async (context, given) => (await import('./asset.ts')).exportAsset(context, given),
  },
  {
    path: 'asset receipt',
    summary: 'Record that a token represents an asset of this identity',
    args: ['<asset>'],
    options: [
      ['--standard <name>', 'erc721 or erc1155 (default: erc721)'],
      ['--contract <address>', 'the contract of the token'],
      ['--token <id>', 'its id there'],
    ],
    result: 'AssetRecord of core',
    examples: ['svc asset receipt ASSET --contract 0x0000000000000000000000000000000000000001 --token 7'],
    page: '/developer/assets',
    run: async (context, given) => (await import('./asset.ts')).addReceipt(context, given),
  },
  {
    path: 'asset displaced',
    summary: 'Show the unproved record that a proved one took the place of; ends with 3 if there is none',
    args: ['<asset>'],
    result: ['owner', 'displacedAt', 'transfers'],
    examples: ['svc asset displaced ASSET'],
    run: async (context, given) => (await import('./asset.ts')).displaced(context, given),
  },
]
