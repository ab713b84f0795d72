/** Made by a signer without the norm check of FIPS 204 algorithm 7: so right in everything but one coefficient of z, which is γ1 − β. */
export const Z_OUT_OF_RANGE = {
  message: 'z out of range 725',
  signatureBase64:
    'yEzJ32yRi8elqkSjYyNbaMCpHyBAGJNNlKCDfUEn5BCip/n6u5B6PLKd1GkQpO4g6mKeGhAe+P4blwP3e26a2QVhifvdv3a7TO8H0VV+tZ/LYs' +
    'iOwLA29wUXAlN/lDoft/J2M9dvHOUYykWF8RGPnfE1Mc50iucVPOi3BpdmeVTOfE0MAAp6yQEUANoDQnjSTUdyjQoWqw53aCkL2Y/k2AnS6gD+' +
    'O4CMGvWSA4nLp9CXjD5ayb80NcejRZdv+6DxI+1YuDuW4lToewnMU87EbcBnNJJeCXe/12QQNeXx4kAZLIUQWxLsg6AQ4F9YzUrEsUcWoTbJDg' +
    'iuzQgVQrA/LOqJ/WYpwJfewx8DclE4zIz+ZIep/LUCueDsDirQJkVqMeayziB/gHmFlkdg55Sw2/rCW4qR4WckKO7qKgLhALaeCI4N2blvcbR9' +
    'lDJ0rPDjDLxNSObVBNKpeSkOdVarFXgjvHmxKUPE1DTc29Fwub3iNOaYpu5qOrVjBF8FHgjp/O2MFz8RIZfxDr0gMnQCTV2Z1nczOJQ8dzrwfw' +
    'n3xo6DQcqcMy1KoYKZh57KTO7SAeL/h8fZKgfKvPhKRHynEnyC+3+IvAjt9sHtzsydJz9hphDqGMmZ3DCY+JFQ05PEeMILyKtAeVhuuC/ZzPja' +
    'a9EgzeTpHNNJUUr8WOayLCPI6NnHDVjdplLcmsizVUDiETWjFsFAb5eyq5el+Z7vpyRaDp2M6aARULZNMlGAqkx/vvIQrhMBWsB6X0rU18b8Xv' +
    'AHbL+fxYIK/ZGIlmqz1ZS0ENedEmulpYgMgr2lj51L7bA8Ey2QcESmf+kIwRjSsn+uOkjOoHqfU3kNYBqUUT35H1vqg3eY5bq+sf68pBVhhcjj' +
    '6p5pEwZVnZeoSgPdsj31wdWmUessL4l5c3BMlRqKXk2rTgOKcfP8y6Opz4JV84Wdv5kFEbZUA96lwlXxb2JwZfu8Qr/7Nks3KCLnqulkL7u6h1' +
    'OOlXHwJOh0P9tNhlo3XC5mvelQWGYiZFXltSG5OuIuAb7/sB8yeFn5aH5c4V5PCEiluzLY7tv4BD83CHB3aOLnEqX9ajVip+lGADA/9yn7mIfF' +
    'fIJBuOt+YEGqwfgT6Xzkl2fMSdBlaYICyaWkjqmn964oU10ROIR2MBOWAPafteaxiFP+TMs49HHlqjBky1uPUXJ8V+U6HTQmNoyCJkElKKyAEW' +
    'puymItOMS9dTgXf+EsLZTOkUDd5xzGxJy8MNG9F1qPPkoH+q82f3Z5yKFt7k/3TuVI62RBeZreG7ZXOoWeDQvPbKCrOHekXBCFb00B8Kl1Znho' +
    'VlF8iWNYshEhx4bt+ISJkUNn3xFgdJ6pJRHfOnzfqKlSQirrr5PTqy+NypXWf8DQ3A7xFdmNWXhZi/AmB1j1dt5YQlvXHOC9PqgYUY4QG2p7WW' +
    'pd+MnDx0DYN+5TKdAC6nomUpXWTF0fjwQDFDhtt+ri4kyEww+7vpw6g+80c7OYLtdsYQlnMsNq3TuvyaLwug1H+pD+VuXDAdVy01QydFR1fnqn' +
    'e6WkxWDO7vpNgNxduxk1l0I1ZZObNrs0iUCBqm48aHYjTVBuaIJb8nkIaRRbIBnHPq9PpBxGjdn49eNowx9ss8sXk46FDuGajHoW5iCWQhQrbh' +
    '0geh5qb95/fT8pNtH8pEGK+C5lFP30St8SxvTeG5VCRwZAHjSnEr/DxKyTn0GmktzPym/MDP4KXA1EY4i1JgegpdEzLAbF3632xB5IMBFbdMvD' +
    '473sffB5gngejwDro+Izcxgxt2Qqq3F98tL5VFdh+qTV/a1vbIZdGzm/f0T0EwPF4uVtLUzotKdlujnmGanmRFPJcHOgocv0f5rT/1wuJgM8Jw' +
    '1zAWOuB7XhBty6vXhh7DayKZXNxm6L35OiTNw8h4XbN4TQ84qM+B0vwWPMnRhHTb/24y1aKIPal3mG6adhpACjVxjtLG1dA5JFeL9tOrMxcpXn' +
    'XeTdW7Nr0nmH8NrqUjgnSMW9SMCXYpdGA4r87FpyEhoQjUpG2yJnvYmARHTB4XPiAOtaWA66rzvDSODDWs8RQ1f3hYEqDGbUSpMWFEwxE3ikSz' +
    'f/6oUR4b5F82/zzswcPzoRiCyrO1c1dZfjXoCvXc5443wlt5ILpilQ8olApQyBoyXabYgWPJ5LHUTJggWMtQb2qQLkoTnIIoBNrmows5dgb5eD' +
    '3Oi4z5njTSsNWmzEBXFq42rd8VMwGDmcrCCo1stiAj6xa+zX4XP4WoH2TDz6fdO9n91SgT1jJHaAMiqaIIt70fDmuOhNuGCuzx/VwRh41+1wmD' +
    '6rScAO1RF0AR1Lc6dDuhSWbHH+uEkydXEyWb87xnJcx00uEOxYBKg3vV4Jxiqulax8WZWMqDdljlSKRlOK7MgkBy/hIKWAOkCfgATNHqntOV1n' +
    'uWmGRztbWV3lVx9MDxzcDnPSNVtGpPR4Q1UagTayi6xkRJuq2wGVPmLYBu/RHSaAEWHERzMIoboFemjf4v+zfcnuR3xgi8zSoeGq59ukUgldjz' +
    '3ddlBvASNkUj9MLVcR5a7cIo/xfABKcLcppT5FhQ9T8Z5QZMjxpaPF9LWZBO0/U6EwJDRBhRThLeoLeWyCann0EcdL6PUIurwL1cE3/zq02LLK' +
    'P4hSQfDxXehFCwX7Nd7xoL/uJTwwxOIy8EESPLVLPOccxQopTavI4mxIuWQ69JklUg75GxVqVgYnjJ3TaGARGu6xYdOvYyJtDw0HKHpsasKVBy' +
    'z4Lqqu4LoEdbqjeV4yjdGfKfENxmaW4ktT+m9iBvg57BCKEm5HfaTo0lv/9zME3MThoyBcs3hDg1R4i/I/XwgKGcUdcdMDHDMKS2SEFjN+nFYK' +
    'V4HwvgtOUbCFBWvlbvp2c/ZX/rykFlnYWPknzxhyJCxupsTun29lyQOAJqRZvkMrOQzFIHsmq2/QNPSM0j8aHOgi6cGs8SJRpPhy60OsFxUZIf' +
    'XnMDmps3df6PnM+/Dy713lgoW1DX+HeKrTnH2Y4xXlg6k7apptmE4KP9y86zdko3hkPSQ8LpvtbuLVCWCJqiN4tqOBUrwesrH/xvd0V1V9XDKu' +
    'ryBEDYMnX/+1u7junQuECfF+stV3FuyEy5DTd/B5LdJXDlTyFButnmaPRHOah7hIYZujc0ID51E9Bf1rQh24S4c3HzNIS6gUX/9gg8Qzuyx4hF' +
    'TCxwNENSrdZh8PJN0nItPULV+h5nOKhkQVRsNHEyRCukHoPg1YChPfkHomhwVpdCSnLFaJer26xp7LCH9t+LD8WsQo7qX5TS7jJSApMa4VrrpA' +
    'Nk9n/hz4bKTY5WRA/Y3x/a0C15o+FTzi5uDzvohBelo1w9t4SkAnuJ9xDDeyaPX2/8XFy9iEVTDwHhqYG5Vs2W+LiF9z2U3WraOVAi3Zgh1DB7' +
    'C4Q6Jh6ALOWWOBLJvwayvgjb44NV7EJZ1/n3CCGXPKKWCFSzENP/I7x6DH/IPk0ykWXXGkvCgV9Qrj73wUGU/K4Tp8VcxqLcGgOOZUSnW9y5zp' +
    'hAghxlEKDDPRP/ir+Vo4p6fOitCKmQRCLu6YuWm+3TDROWtQ7Z2xjR0aYUPyRAPxAz+c0qfLFdhLMcLz1895K+c6aXVWo0qzddAJIT8dTxqtB1' +
    'dat5xMBBbe6HViB6xxuZfti6VjuNmg6ecfO++xYLlqaYZftkOx5f3xnbWrQ++FiQsw2Oxbx/50n5eEdg5cy/nIeLyJsxDWgxMdEqu/eZuIkGqJ' +
    'Xbd7fnmDJfyD7QuBwpq9Do8udf0oUGZu3PxRCn5/Kj9XF6gpyOSrcrAaskZBOUor+MIR0AUSqvkKvFgwD2OIyCq4KbqlP+z291fBmDYDBBoT19' +
    '0kvhXpgrETj488xduf+LyFtKjhABBmhzA1ecf2vAsqTUJTD1tVZiSE6uWi6ArsaLpQshkLKyHKnepF+gEZL2lhJ/f0OtgONB6FFghX7LUsajn6' +
    'B3AC/k9pT3aVdUSPq87SWXz+FDFXmbLzbnMk4IzNGmjmswqh+SYuW/N4oLc29Sb/RZUbwD0IKmue7dMAbqXYaCNcIni1oxnhlzspKzkj3NwQpA' +
    'suRexDOYmWF6/Fadp1ICbJufYtqVbsQ/jC7iT+NwaB9El9EpeVGrHf9BV0koU92EWhUgg/f/N7vdVJV9aoVl6KJwjicQwD8NN5YZ6pTenTaW1b' +
    'nqvLhyFkkLvmblzusgJZJD2yJ5upioYWZwPWUBAumcIez4qtm5g26c7vyxTXESaWp3tks+kN+YPKs+Pq9KwYE7vI4jLqlXX/p/UwjpRoTLEQtT' +
    'hWFIMPENUx8pMEhZypuO5TU9m3H7LH+qPX46Z/TdJHV19/iQ0RYn6bwtUGBzlrcd/t9RA0VXXso9XW5BU6TmzTAAAAAAAAAAAAAAAAAAAAAAAA' +
    'AAAABQwUGR0i',
}
