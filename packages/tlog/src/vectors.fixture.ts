/** Published keys and notes, by where they are published. */

/** c2sp.org/signed-note. */
export const SPEC_KEY = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k'
export const SPEC_NOTE = `This is an example message.

— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
`

/** golang.org/x/mod, sumdb/note/note_test.go. */
export const PETER_KEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
export const PETER_SEED = 'gQoUAtUUbI2E8kQzMPVAgOv5juF9nHT2JS/F1ccoMXM='
export const ENOCH_KEY = 'EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop'
export const PETER_TEXT = `If you think cryptography is the answer to your problem,
then you don't know what your problem is.
`
export const PETER_LINE =
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM='
export const ENOCH_LINE =
  '— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ='

/** FiloSottile/sunlight, cmd/skylight/testdata: checkpoints with Ed25519 cosignatures. */
export const COSIGNED = [
  {
    key: 'witness.example.org+b8a2cf20+BFLN3yikSfFkVAJtrnh/CiY3Zozkoy7clp+P7XB28qUN',
    note: `rome2026h1.example.org
300
lCkHUpkmVBEms2r2T1K6Og69+wUuuN3MIEW1/ezu2v0=

— rome2026h1.example.org kVB1JgAAAZtxtEwABAMARzBFAiEAi+mTa2xjL1IdWpH82OeciGsGvwRAP+f1WkfKaSZCfFECIHoNPZ/Q3y6UNzvKOO9cuLr6V16vPNfhwhle9f6r5H/Z
— witness.example.org uKLPIAAAAABpVGeAhm2bOvKc3LaB9PFN1ruG19Y5yqslmcAAbhftnn1Zznmo0LXFZq4LGvqKqLX8jWlwLKasxEGTLIqAVusneCBmBw==
`,
  },
  {
    key: 'witness2.example.org+2e55b896+BIZ7fpceQWd60IfqQeS9IAnmNOCZjMDne8lZuguz/bi9',
    note: `milan2026h1.example.org
300
lCkHUpkmVBEms2r2T1K6Og69+wUuuN3MIEW1/ezu2v0=

— witness2.example.org LlW4lgAAAABpVGeAN/uFWqfjdU94rrKxFycCggM0Sa1L5tOJCJdYBwJ41CQsgKWA6B0+vywok3cPI3JIzuPeR+VotuYe/eNy0+30Dw==
`,
  },
] as const

/** The same, mirror: 300 entries `record 0`, `record 1`, …, with the SHA-256 of their tiles. */
export const MIRRORED = {
  key: 'mirror.example.org+3fb148ef+BAAjjch9GyYz0sJsJx7ALhbdAtz2ov0unbzSl1vMp94O',
  note: `rome2026h1.example.org
300
gw31yQrqZZCcEOPrzX+bpy3nJ6QgngTKn8G1m0i62uU=

— mirror.example.org P7FI7wAAAABpVGeAjA1S4pJm6MbcXjX7UUImu4azZtrfcVW2uyr/LXIYlwEJzXC0N0EiZkbqfLdXt/4gVEEuGmxJjAfXKMCISpsJAg==
`,
  tiles: {
    'tile/0/000': '66a1d43136a854a5776d5bce14bf101c925fc7d4b32f1be23b658f636ebfcddb',
    'tile/0/001.p/44': '699f078d937f13343d71ad39321757de3ecf391e8d7a1b2015ad38bd36f5d60a',
    'tile/1/000.p/1': 'dcef9e571841bfe2defd16306f8a7d69f5054092fb8b7f983970c646f7f5fd85',
  },
} as const

/** transparency-dev/formats, note/note_cosigv1_test.go: seconds since 1970 of a cosignature. */
export const TIMESTAMPED = {
  base64: 'ZGhGuQAAAABm/qTPeyKXD+R2rzyQsxPiP8mXum7qq/iF0u4vanlqJyocWODBt97w9uL+8qT7S5gxEHWWOworDcFiEBYJXORmnFBOBA==',
  seconds: 1_727_964_367,
} as const

/** golang.org/x/mod, sumdb/tlog/note_test.go. */
export const GO_TREE = `go.sum database tree
123456789012
TszzRgjTG6xce+z2AG31kAXYKBgQVtCSCE40HmuwBb0=
`
