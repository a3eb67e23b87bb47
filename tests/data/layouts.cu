struct __attribute__((packed, aligned(2))) S0 {
    bool S0_m0;
    unsigned long long S0_m1 : 7;
    double S0_m2;
    long long S0_m3;
    long long S0_m4 __attribute__((packed, aligned(2)));
} ;
struct alignas(128) S1 {
    int * S1_m0;
    bool S1_m1 __attribute__((packed));
    unsigned S1_m2 : 6;
    float2 S1_m3[4];
} ;
struct  S2 {
    float S2_m0;
    short4 S2_m1[2] __attribute__((aligned(8)));
    S0  S2_m2 __attribute__((packed, aligned(2)));
    alignas(32) int S2_m3[1];
} ;
struct __attribute__((aligned(16))) S3 {
    float4 S3_m0;
    float2 S3_m1;
} ;
struct  S4 : S0 {
    bool S4_m0 __attribute__((aligned(16)));
    bool S4_m1;
    char S4_m2;
} __attribute__((packed));
struct  S5 {
    alignas(32) float2 S5_m0;
    unsigned char S5_m1 : 3;
    short4 S5_m2;
    unsigned S5_m3[4];
    S4  S5_m4[2];
} ;
struct  S6 {
    S2  S6_m0 __attribute__((packed));
    S0  S6_m1;
    S1  S6_m2;
    unsigned S6_m3;
    uchar3 S6_m4;
} __attribute__((packed, aligned(8)));
struct  S7 {
    unsigned S7_m0 : 7;
    short S7_m1;
    short S7_m2;
    unsigned char S7_m3;
} ;
struct  S8 {
    unsigned S8_m0 : 3;
    unsigned S8_m1;
    short S8_m2;
    double S8_m3;
} ;
#pragma pack(1)
struct  S9 {
    S8  S9_m0;
    S5  S9_m1[4];
} ;
struct __attribute__((__packed__)) S10 {
    S8  S10_m0;
    bool S10_m1;
    S5  S10_m2;
    long long S10_m3;
} ;
#pragma pack()
union  S12 {
    unsigned char S12_m0 __attribute__((packed));
} __attribute__((aligned(8)));
struct  S13 {
    unsigned S13_m0[1] __attribute__((packed));
    int S13_m1 __attribute__((aligned(8)));
    unsigned S13_m2;
    S5  S13_m3;
} __attribute__((packed));
struct  S14 {
    S7  S14_m0;
} ;
#pragma pack()
struct  S15 {
    bool S15_m0[4] __attribute__((aligned(16)));
    alignas(16) int S15_m1;
} ;
#pragma pack(16)
struct  S16 {
    double S16_m0 __attribute__((packed));
} ;
struct  S17 {
    S13  S17_m0;
    int S17_m1[3];
    long long S17_m2;
} __attribute__((aligned(4)));
#pragma pack(4)
#pragma pack(2)
struct  S21 {
    short4 S21_m0;
    unsigned S21_m1;
    S10  S21_m2;
} __attribute__((aligned(1)));
struct  S22 {
    S14  S22_m0;
} ;
struct  S23 {
    int * S23_m0;
    int S23_m1[4];
    int S23_m2;
    float2 S23_m3;
    S16  S23_m4;
} ;
#pragma pack(16)
struct  S24 {
    S21  S24_m0;
    bool S24_m1;
    S16  S24_m2[2] __attribute__((packed, aligned(4)));
    S21  S24_m3;
} ;
struct __attribute__((__packed__)) S27 {
    long long S27_m0;
    char S27_m1[2];
    long long S27_m2 __attribute__((aligned(16)));
    short4 S27_m3;
    short S27_m4 __attribute__((aligned(2)));
} ;
struct __align__(1) S28 {
    double S28_m0;
    float4 S28_m1;
    int S28_m2 __attribute__((packed));
    bool S28_m3[2];
    S27  S28_m4 __attribute__((packed));
} ;
#pragma pack()
struct  S29 {
    S27  S29_m0;
    int * S29_m1;
    float4 S29_m2;
    bool S29_m3[2];
} __attribute__((packed));
union  S30 {
    short4 S30_m0;
    bool S30_m1;
    unsigned char S30_m2;
    bool S30_m3;
    short S30_m4;
} ;
struct  S31 {
    S29  S31_m0;
    S27  S31_m1[3];
    float2 S31_m2;
    short4 S31_m3[4];
    int * S31_m4 __attribute__((packed, aligned(4)));
} ;
union alignas(256) S32 {
    float4 S32_m0;
    float4 S32_m1;
    float S32_m2;
} ;
struct  S33 {
    S23  S33_m0;
    char S33_m1[2];
} ;
#pragma pack(2)
#pragma pack(8)
union __attribute__((packed)) S36 {
    S31  S36_m0;
} ;
struct  S37 {
    S28  S37_m0 __attribute__((packed));
    float4 S37_m1;
    unsigned char S37_m2;
} __attribute__((packed));
struct  S39 {
    uchar3 S39_m0;
    S27  S39_m1;
    short4 S39_m2;
    double S39_m3;
} ;
struct __align__(16) S40 {
    short S40_m0[1];
    bool S40_m1;
    S31  S40_m2;
} ;
struct  S41 {
    long long S41_m0;
    S37  S41_m1;
    long long S41_m2[3];
} ;
#pragma pack(1)
#pragma pack(8)
#pragma pack(8)
union  S45 {
    int S45_m0;
} __attribute__((packed, aligned(8)));
#pragma pack(4)
union  S47 {
    unsigned S47_m0[4];
    double S47_m1[4];
} __attribute__((packed));
struct  S48 {
    float S48_m0;
    long long S48_m1[3];
    unsigned char S48_m2 : 6;
    short4 S48_m3[1];
} __attribute__((packed, aligned(4)));
struct  S49 {
    float S49_m0;
} ;
struct  S50 {
    float S50_m0;
    float2 S50_m1;
    int S50_m2;
    S39  S50_m3[1];
} ;
struct  S51 {
    double S51_m0;
    S49  S51_m1;
} __attribute__((packed));
struct  S52 {
    bool S52_m0[1] __attribute__((aligned(4)));
    S48  S52_m1;
    bool S52_m2;
} __attribute__((packed));
struct __attribute__((aligned(8))) S53 {
    S50  S53_m0;
    short S53_m1;
    S50  S53_m2;
    bool S53_m3;
} ;
struct  S55 {
    long long S55_m0;
    bool S55_m1;
    S49  S55_m2[4];
    short S55_m3;
} ;
struct  S56 {
    short S56_m0;
} ;
struct  S57 {
    S56  S57_m0;
    unsigned char S57_m1;
} ;
struct  S58 {
    S55  S58_m0;
    S52  S58_m1[4];
    uchar3 S58_m2;
    int * S58_m3;
} ;
#pragma pack(1)
struct  S59 {
    S58  S59_m0;
    double S59_m1;
} __attribute__((aligned(1)));
struct  S61 {
    S56  S61_m0;
    uchar3 S61_m1;
    char S61_m2[2];
} __attribute__((aligned(1)));
struct  S62 {
    uchar3 S62_m0;
    S55  S62_m1;
    char S62_m2;
} ;
struct  S63 {
    int * S63_m0[1];
    float2 S63_m1;
    alignas(16) short4 S63_m2[2];
    S59  S63_m3 __attribute__((packed));
} __attribute__((packed, aligned(16)));
struct alignas(256) S64 {
    int * S64_m0[2] __attribute__((packed));
    S59  S64_m1;
    S62  S64_m2;
} ;
struct __attribute__((aligned(1))) S65 {
    int S65_m0;
    unsigned char S65_m1[4];
    char S65_m2;
    double S65_m3;
    unsigned S65_m4;
} ;
struct  S66 {
    double S66_m0;
} ;
struct __attribute__((packed)) S68 {
    int S68_m0;
    S62  S68_m1;
    float2 S68_m2[4];
    float2 S68_m3;
} ;
struct  S69 {
    S65  S69_m0 __attribute__((packed, aligned(1)));
    S64  S69_m1;
    float2 S69_m2;
    char S69_m3 __attribute__((packed));
    int S69_m4[1] __attribute__((packed, aligned(1)));
} ;
struct __attribute__((aligned(4))) S70 {
    S63  S70_m0;
    S68  S70_m1;
    short S70_m2 __attribute__((packed, aligned(4)));
} ;
#pragma pack(16)
struct  S71 {
    float4 S71_m0[2];
    char S71_m1[2];
    bool S71_m2;
    bool S71_m3;
} ;
union  S72 {
    unsigned char S72_m0[2];
    double S72_m1;
    short S72_m2;
} ;
struct  S73 {
    double S73_m0;
    float2 S73_m1;
    bool S73_m2[2];
} __attribute__((packed));
struct  S74 {
    int * S74_m0;
    float4 S74_m1;
    double S74_m2[2];
} ;
struct  S75 {
    S70  S75_m0;
    unsigned char S75_m1;
} ;
#pragma pack(8)
#pragma pack(4)
struct __attribute__((packed, aligned(2))) S78 {
    float4 S78_m0;
    float4 S78_m1;
    unsigned char S78_m2;
    float4 S78_m3;
    short4 S78_m4[3] __attribute__((packed, aligned(1)));
} ;
#pragma pack(push, 2)
struct  S80 {
    short S80_m0;
    long long S80_m1;
    float2 S80_m2;
} ;
struct alignas(256) S81 {
    float S81_m0;
} ;
struct  S82 {
    long long S82_m0;
    uchar3 S82_m1;
    S81  S82_m2;
    S80  S82_m3[1];
    bool S82_m4;
} __attribute__((aligned(1)));
struct  S83 {
    unsigned char S83_m0;
    short S83_m1;
    S81  S83_m2 __attribute__((aligned(4)));
} __attribute__((packed, aligned(16)));
#pragma pack(push, 4)
#pragma pack(pop)
struct  S85 {
    unsigned S85_m0;
} ;
struct alignas(128) S86 {
    float S86_m0[3];
    S80  S86_m1[3];
    int S86_m2;
    S80  S86_m3;
} ;
struct  S87 {
    float2 S87_m0[2] __attribute__((packed));
} ;
struct  S88 {
    uchar3 S88_m0;
} ;
struct  S89 {
    S82  S89_m0;
    short S89_m1;
    float4 S89_m2;
} ;
struct __attribute__((packed, aligned(8))) S90 {
    float S90_m0 __attribute__((packed));
} ;
struct  S92 {
    S87  S92_m0;
    uchar3 S92_m1;
    float2 S92_m2;
} ;
#pragma pack(pop)
struct  S94 {
    S86  S94_m0;
} __attribute__((packed, aligned(16)));
union  S95 {
    S89  S95_m0;
    int * S95_m1;
    float S95_m2;
} __attribute__((aligned(2)));
#pragma pack(push, 8)
#pragma pack(8)
struct __attribute__((packed, aligned(16))) S98 {
    S92  S98_m0;
    unsigned char S98_m1 __attribute__((packed, aligned(4)));
    S90  S98_m2;
} ;
struct __attribute__((packed)) S99 {
    unsigned S99_m0;
    S94  S99_m1[3] __attribute__((packed));
    float S99_m2;
} ;
#pragma pack(push, 4)
struct __attribute__((aligned(1))) S101 {
    S89  S101_m0;
} ;
struct  S102 {
    S90  S102_m0;
    S99  S102_m1[3];
} ;
struct  S103 {
    float S103_m0;
    S101  S103_m1 __attribute__((packed));
    S94  S103_m2;
    S99  S103_m3[4] __attribute__((packed));
} __attribute__((packed, aligned(16)));
#pragma pack(2)
struct alignas(32) S105 {
    S98  S105_m0;
} ;
#pragma pack(pop)
struct  S108 {
    short4 S108_m0 __attribute__((aligned(8)));
    unsigned short S108_m1 : 3;
    unsigned S108_m2[3];
} ;
struct  S109 {
    int S109_m0;
} ;
#pragma pack(push, 2)
struct __attribute__((packed, aligned(16))) S110 {
    long long S110_m0 __attribute__((packed, aligned(1)));
} ;
struct  S111 {
    S102  S111_m0;
    short S111_m1;
} __attribute__((packed));
#pragma pack(pop)
struct alignas(256) S112 {
    short4 S112_m0;
    S108  S112_m1;
    short4 S112_m2;
} ;
#pragma pack(push, 1)
struct  S113 {
    bool S113_m0;
    unsigned char S113_m1;
    S108  S113_m2 __attribute__((packed, aligned(1)));
    long long S113_m3;
} ;
union alignas(32) S115 {
    S109  S115_m0;
    S110  S115_m1;
    float S115_m2[3];
} ;
struct  S116 {
    char S116_m0;
    int S116_m1[4];
    unsigned char S116_m2 : 7;
    short4 S116_m3[4];
} ;
#pragma pack(push, 2)
#pragma pack(push, 8)
#pragma pack(push, 4)
union alignas(32) S122 {
    long long S122_m0;
} ;
struct  S123 {
    S112  S123_m0[1] __attribute__((packed));
    S109  S123_m1 __attribute__((aligned(2)));
    unsigned S123_m2 : 8;
} ;
struct __attribute__((packed)) S124 {
    unsigned long long S124_m0 : 8;
    unsigned S124_m1;
    uchar3 S124_m2;
} ;
union  S125 {
    float2 S125_m0;
    S111  S125_m1[4];
} ;
#pragma pack()
struct  S126 : S116 {
    short S126_m0 __attribute__((aligned(8)));
    short S126_m1;
} __attribute__((aligned(1)));
struct  S127 {
    short4 S127_m0;
    S113  S127_m1[1] __attribute__((aligned(2)));
} __attribute__((packed, aligned(8)));
struct __attribute__((__packed__)) S128 {
    double S128_m0;
    S113  S128_m1;
    S127  S128_m2;
} ;
#pragma pack(pop)
union  S129 {
    unsigned S129_m0;
    double S129_m1 __attribute__((packed, aligned(4)));
    bool S129_m2;
    unsigned char S129_m3;
    uchar3 S129_m4;
} ;
#pragma pack(push, 4)
#pragma pack()
struct  S133 {
    short4 S133_m0;
    S126  S133_m1;
    S126  S133_m2;
    unsigned char S133_m3;
} __attribute__((aligned(4)));
struct __align__(1) S134 {
    S124  S134_m0 __attribute__((aligned(16)));
    bool S134_m1;
    unsigned char S134_m2 : 4;
} ;
struct  S135 {
    short S135_m0;
    uchar3 S135_m1 __attribute__((aligned(8)));
    float S135_m2;
    S133  S135_m3;
} ;
#pragma pack(2)
struct __align__(4) S137 {
    short S137_m0;
    S133  S137_m1;
    int S137_m2[4];
} ;
#pragma pack(push, 8)
struct __attribute__((aligned(16))) S139 {
    bool S139_m0[4] __attribute__((aligned(4)));
    long long S139_m1[4] __attribute__((packed, aligned(1)));
    S128  S139_m2;
    unsigned S139_m3;
} ;
struct  S140 {
    float S140_m0;
    uchar3 S140_m1[4];
    S139  S140_m2;
} ;
#pragma pack(16)
struct __attribute__((__packed__)) S141 {
    S133  S141_m0[3];
    S135  S141_m1 __attribute__((packed, aligned(4)));
    float S141_m2[3];
    S135  S141_m3[2];
    S135  S141_m4[3];
} ;
struct  S143 {
    float4 S143_m0;
    float4 S143_m1 __attribute__((aligned(4)));
} ;
struct __attribute__((packed)) S144 : S140 {
    unsigned long long S144_m0 : 8;
    char S144_m1;
} ;
#pragma pack(pop)
struct  S146 {
    uchar3 S146_m0[4];
} __attribute__((packed, aligned(1)));
struct  S147 {
    short S147_m0;
    uchar3 S147_m1;
    S139  S147_m2;
} ;
#pragma pack(pop)
struct  S148 {
    unsigned S148_m0 __attribute__((aligned(8)));
    S146  S148_m1 __attribute__((aligned(8)));
    float S148_m2[3];
    bool S148_m3 __attribute__((packed, aligned(4)));
} ;
#pragma pack(8)
struct  S149 {
    short S149_m0;
} ;
struct  S150 {
    unsigned char S150_m0 __attribute__((packed));
    unsigned char S150_m1 __attribute__((packed, aligned(2)));
} ;
#pragma pack(pop)
struct  S151 : S146 {
    S150  S151_m0;
} __attribute__((packed, aligned(2)));
#pragma pack(push, 8)
#pragma pack()
struct  S154 {
    short S154_m0 __attribute__((aligned(16)));
    double S154_m1;
} __attribute__((packed));
struct  S155 : S150 {
    int * S155_m0;
    bool S155_m1 __attribute__((packed, aligned(2)));
    S151  S155_m2;
    uchar3 S155_m3;
    S151  S155_m4;
} ;
struct  S156 {
    double S156_m0;
    float4 S156_m1;
} ;
struct  S157 {
    float4 S157_m0;
    unsigned S157_m1;
    int S157_m2[2];
    short4 S157_m3;
} __attribute__((packed));
struct  S158 {
    long long S158_m0;
    S155  S158_m1;
    unsigned S158_m2;
    S155  S158_m3;
} __attribute__((aligned(16)));
struct __attribute__((packed)) S159 {
    unsigned S159_m0;
    S158  S159_m1[1];
    long long S159_m2;
    unsigned S159_m3;
    unsigned char S159_m4;
} ;
#pragma pack(push, 1)
struct  S160 {
    unsigned long long S160_m0 : 7;
} __attribute__((packed, aligned(16)));
struct __attribute__((packed)) S161 : S157 {
    char S161_m0;
    S159  S161_m1;
    short4 S161_m2[2];
    uchar3 S161_m3;
} ;
union  S162 {
    unsigned S162_m0 : 8;
    char S162_m1;
    char S162_m2;
    double S162_m3;
} ;
struct  S163 {
    S160  S163_m0;
    double S163_m1;
} __attribute__((aligned(8)));
struct  S164 {
    unsigned long long S164_m0 : 2;
    S160  S164_m1;
} ;
#pragma pack()
struct __attribute__((__packed__)) S165 {
    bool S165_m0;
    short S165_m1;
} ;
#pragma pack(pop)
union  S166 {
    unsigned char S166_m0;
    float S166_m1;
} __attribute__((aligned(4)));
struct  S167 {
    S163  S167_m0;
    int * S167_m1[4];
    unsigned long long S167_m2 : 2;
} ;
#pragma pack(push, 1)
struct  S168 {
    char S168_m0;
    unsigned short S168_m1 : 1;
    int S168_m2;
} __attribute__((packed));
#pragma pack(push, 1)
struct  S169 {
    unsigned char S169_m0;
    unsigned char S169_m1 : 7;
    S167  S169_m2 __attribute__((packed, aligned(2)));
    float4 S169_m3[2];
} __attribute__((packed, aligned(4)));
#pragma pack()
union  S170 {
    S163  S170_m0[4] __attribute__((packed));
} ;
struct  S171 {
    S168  S171_m0;
    S165  S171_m1;
} ;
struct  S172 {
    unsigned char S172_m0;
    float4 S172_m1;
    float2 S172_m2;
} __attribute__((packed));
#pragma pack(push, 1)
struct  S173 {
    int * S173_m0;
    long long S173_m1;
    int S173_m2;
    unsigned char S173_m3 __attribute__((packed));
    int S173_m4;
} ;
struct  S174 {
    double S174_m0;
    char S174_m1;
    S169  S174_m2[3];
    double S174_m3;
    float S174_m4;
} ;
#pragma pack(pop)
struct  S175 {
    S168  S175_m0;
    short S175_m1[3];
    long long S175_m2;
    bool S175_m3;
} ;
struct __attribute__((__packed__)) S176 {
    unsigned char S176_m0[1];
    S175  S176_m1;
    char S176_m2 __attribute__((packed));
} ;
union  S177 {
    alignas(16) short S177_m0;
    float S177_m1;
    float4 S177_m2;
    S171  S177_m3;
    float4 S177_m4 __attribute__((packed, aligned(1)));
} __attribute__((packed));
struct __align__(4) S179 {
    short S179_m0;
    float2 S179_m1 __attribute__((packed, aligned(2)));
    int S179_m2;
} ;
#pragma pack(push, 2)
struct __attribute__((aligned(2))) S180 {
    S179  S180_m0;
    unsigned S180_m1;
} ;
struct __attribute__((__packed__)) S181 {
    unsigned char S181_m0;
    float S181_m1;
} ;
#pragma pack()
struct __attribute__((aligned(2))) S183 {
    unsigned S183_m0 __attribute__((packed));
    short4 S183_m1 __attribute__((aligned(4)));
    unsigned char S183_m2;
    uchar3 S183_m3;
    S180  S183_m4;
} ;
struct  S184 {
    alignas(16) S175  S184_m0[3];
    unsigned char S184_m1 : 2;
} ;
struct  S185 {
    unsigned short S185_m0 : 7;
} __attribute__((packed, aligned(16)));
struct  S186 {
    S181  S186_m0[1] __attribute__((aligned(4)));
    float S186_m1;
    S179  S186_m2;
} ;
union  S187 {
    S186  S187_m0;
    float2 S187_m1[4];
} ;
#pragma pack(1)
struct  S188 {
    S184  S188_m0;
    S185  S188_m1;
} ;
#pragma pack()
struct __attribute__((aligned(4))) S189 {
    uchar3 S189_m0;
    short S189_m1 __attribute__((packed));
    unsigned S189_m2 : 2;
} ;
#pragma pack(16)
struct  S190 {
    int * S190_m0;
    double S190_m1;
} __attribute__((packed, aligned(8)));
struct  S191 {
    float S191_m0;
    unsigned S191_m1[3];
    unsigned char S191_m2;
} ;
union  S192 {
    uchar3 S192_m0;
    float4 S192_m1[3] __attribute__((packed));
    char S192_m2;
    S191  S192_m3 __attribute__((aligned(2)));
    alignas(16) unsigned char S192_m4;
} ;
struct  S193 {
    unsigned char S193_m0;
    uchar3 S193_m1;
    uchar3 S193_m2;
    short S193_m3[3];
} __attribute__((aligned(16)));
struct  S194 {
    bool S194_m0[3] __attribute__((packed));
    unsigned S194_m1;
    S189  S194_m2 __attribute__((packed));
    short4 S194_m3 __attribute__((packed));
} __attribute__((aligned(2)));
struct alignas(16) S195 {
    S194  S195_m0;
} ;
#pragma pack(pop)
struct  S196 {
    bool S196_m0[1] __attribute__((packed, aligned(1)));
    uchar3 S196_m1;
    long long S196_m2 __attribute__((aligned(4)));
    alignas(16) long long S196_m3;
} ;
#pragma pack()
union  S197 {
    short S197_m0;
    bool S197_m1;
    bool S197_m2;
} ;
struct  S198 {
    S190  S198_m0;
    short4 S198_m1;
    unsigned S198_m2;
} ;
#pragma pack(push, 8)
#pragma pack()
struct __attribute__((aligned(2))) S200 {
    short S200_m0;
    S195  S200_m1;
    unsigned long long S200_m2 : 5;
    S191  S200_m3;
} ;
struct  S202 {
    alignas(16) uchar3 S202_m0;
    unsigned char S202_m1;
} __attribute__((aligned(16)));
#pragma pack(16)
struct __attribute__((aligned(4))) S203 {
    S198  S203_m0[2];
    S200  S203_m1;
    bool S203_m2[2];
} ;
#pragma pack()
struct  S204 {
    char S204_m0;
} ;
struct  S205 {
    long long S205_m0;
    bool S205_m1;
    bool S205_m2 __attribute__((packed));
    uchar3 S205_m3;
    alignas(32) S204  S205_m4;
} ;
struct  S206 {
    long long S206_m0;
    unsigned char S206_m1 : 1;
    unsigned S206_m2;
} ;
#pragma pack(8)
struct  S207 {
    S203  S207_m0;
    S203  S207_m1;
} ;
struct  S209 {
    float S209_m0;
    S206  S209_m1[3] __attribute__((packed));
    double S209_m2[2];
    S207  S209_m3 __attribute__((packed));
    uchar3 S209_m4[3];
} __attribute__((packed));
struct __attribute__((packed, aligned(8))) S210 {
    char S210_m0 __attribute__((packed));
    unsigned S210_m1;
    S207  S210_m2[3] __attribute__((aligned(2)));
    long long S210_m3;
} ;
#pragma pack()
struct  S211 {
    unsigned char S211_m0 : 7;
    char S211_m1 __attribute__((packed));
    S205  S211_m2[1] __attribute__((packed, aligned(1)));
    S210  S211_m3;
} ;
struct  S212 {
    short S212_m0;
    long long S212_m1;
    S211  S212_m2 __attribute__((packed));
    double S212_m3;
} ;
#pragma pack(push, 1)
struct  S213 : S211 {
    unsigned S213_m0 : 8;
} ;
struct  S214 {
    S209  S214_m0;
    float4 S214_m1;
} __attribute__((aligned(8)));
struct __align__(1) S216 {
    unsigned char S216_m0[1];
} ;
#pragma pack()
struct alignas(32) S218 {
    int S218_m0 __attribute__((aligned(2)));
    unsigned char S218_m1[3];
    S210  S218_m2 __attribute__((aligned(16)));
    S216  S218_m3[3];
    alignas(32) S210  S218_m4;
} ;
#pragma pack(pop)
union  S219 {
    float4 S219_m0;
    float4 S219_m1 __attribute__((packed, aligned(4)));
    bool S219_m2[1] __attribute__((packed));
} ;
#pragma pack()
struct  S220 {
    bool S220_m0[1];
    short S220_m1;
} __attribute__((packed, aligned(4)));
struct  S221 {
    short S221_m0;
    float S221_m1 __attribute__((aligned(2)));
    short4 S221_m2;
} ;
struct  S222 {
    unsigned S222_m0 __attribute__((packed));
    float S222_m1[2];
    unsigned S222_m2;
    short S222_m3;
} ;
struct  S223 {
    unsigned char S223_m0;
    unsigned long long S223_m1 : 3;
    short S223_m2;
} ;
struct __attribute__((aligned(4))) S224 {
    float4 S224_m0;
    uchar3 S224_m1;
    float S224_m2;
    S220  S224_m3 __attribute__((packed, aligned(1)));
} ;
struct __attribute__((packed)) S225 {
    int * S225_m0[3];
    S224  S225_m1;
} ;
#pragma pack()
struct  S226 {
    float4 S226_m0[3];
    unsigned char S226_m1;
    bool S226_m2;
} ;
struct  S227 {
    unsigned S227_m0 : 3;
    S221  S227_m1 __attribute__((aligned(4)));
} ;
struct __align__(2) S228 {
    short4 S228_m0[4];
    unsigned S228_m1;
    uchar3 S228_m2[1];
} ;
struct  S229 {
    unsigned char S229_m0;
    int * S229_m1 __attribute__((packed, aligned(1)));
    short4 S229_m2;
} ;
struct  S230 {
    S228  S230_m0[4];
    S224  S230_m1;
    unsigned S230_m2 __attribute__((packed, aligned(1)));
} ;
struct __attribute__((packed)) S231 {
    double S231_m0 __attribute__((aligned(4)));
} ;
#pragma pack(4)
struct  S232 {
    double S232_m0;
    float2 S232_m1;
    float S232_m2 __attribute__((packed));
    unsigned S232_m3;
    S228  S232_m4[3];
} ;
struct __attribute__((packed)) S233 {
    S231  S233_m0 __attribute__((packed));
    double S233_m1[2];
} ;
#pragma pack(push, 1)
struct __align__(2) S234 {
    char S234_m0;
} ;
#pragma pack()
struct  S235 {
    unsigned S235_m0;
    long long S235_m1;
    uchar3 S235_m2[1];
} ;
union  S236 {
    S230  S236_m0;
    S230  S236_m1;
} ;
union  S237 {
    int S237_m0;
    unsigned char S237_m1;
    int S237_m2;
    S234  S237_m3 __attribute__((packed));
} ;
#pragma pack(push, 2)
struct  S238 {
    S234  S238_m0 __attribute__((aligned(2)));
    float2 S238_m1;
} __attribute__((packed));
struct  S239 : S234 {
    char S239_m0;
    uchar3 S239_m1;
    unsigned S239_m2 : 8;
} ;
#pragma pack(8)
struct  S240 {
    int * S240_m0 __attribute__((packed));
    S234  S240_m1 __attribute__((packed, aligned(1)));
} ;
struct  S241 {
    long long S241_m0;
} __attribute__((aligned(16)));
#pragma pack(2)
#pragma pack(pop)
struct  S244 {
    char S244_m0 __attribute__((packed, aligned(4)));
    S239  S244_m1[1];
    S238  S244_m2;
    float4 S244_m3 __attribute__((packed));
    unsigned char S244_m4 : 5;
} __attribute__((packed));
struct  S245 {
    int S245_m0;
    bool S245_m1;
    char S245_m2;
    S238  S245_m3;
} ;
union  S246 {
    unsigned char S246_m0 : 8;
    char S246_m1;
    alignas(16) S239  S246_m2;
    alignas(16) long long S246_m3;
    unsigned char S246_m4;
} __attribute__((packed));
#pragma pack(push, 2)
struct  S247 {
    long long S247_m0;
} ;
struct  S249 {
    S241  S249_m0[3];
} ;
union  S250 {
    float2 S250_m0[2];
} ;
struct  S251 {
    unsigned S251_m0;
    unsigned short S251_m1 : 8;
    float4 S251_m2;
} __attribute__((aligned(4)));
struct  S252 {
    unsigned char S252_m0[3];
    char S252_m1;
} ;
struct  S256 {
    int * S256_m0;
    int S256_m1[3];
} ;
#pragma pack(2)
struct  S257 {
    double S257_m0;
    S247  S257_m1;
} ;
struct  S258 {
    int S258_m0;
    bool S258_m1;
} ;
struct  S260 {
    S249  S260_m0;
    short4 S260_m1;
    char S260_m2;
} ;
union  S261 {
    double S261_m0;
    short4 S261_m1;
    uchar3 S261_m2 __attribute__((packed));
    char S261_m3[1];
    short4 S261_m4;
} __attribute__((aligned(4)));
struct  S262 {
    short S262_m0;
    int * S262_m1;
    short4 S262_m2;
    S258  S262_m3;
} __attribute__((packed, aligned(4)));
struct __attribute__((aligned(4))) S263 : S260 {
    uchar3 S263_m0;
    int S263_m1[1];
    int * S263_m2;
    unsigned char S263_m3 : 2;
} ;
struct  S265 {
    unsigned S265_m0 : 1;
    S257  S265_m1;
    long long S265_m2;
    long long S265_m3;
    S260  S265_m4;
} __attribute__((packed));
#pragma pack(pop)
struct  S266 {
    long long S266_m0[1];
    long long S266_m1;
} ;
struct  S267 {
    short S267_m0;
    unsigned char S267_m1 : 1;
    S263  S267_m2;
    short4 S267_m3 __attribute__((packed, aligned(1)));
} ;
struct  S268 {
    int S268_m0;
    int * S268_m1 __attribute__((packed));
} ;
#pragma pack(pop)
#pragma pack(push, 8)
struct  S271 {
    S266  S271_m0;
    short S271_m1;
    short S271_m2;
    char S271_m3[2];
} ;
#pragma pack(pop)
union  S275 {
    uchar3 S275_m0[1];
} ;
struct  S276 {
    int S276_m0;
    short4 S276_m1;
} ;
struct  S277 {
    long long S277_m0[2];
} ;
#pragma pack(4)
struct  S278 {
    unsigned short S278_m0 : 2;
    S276  S278_m1;
} ;
struct  S279 {
    char S279_m0 __attribute__((aligned(2)));
    S276  S279_m1;
    S268  S279_m2;
    uchar3 S279_m3 __attribute__((packed, aligned(1)));
    bool S279_m4[2] __attribute__((packed));
} ;
#pragma pack(pop)
struct  S280 {
    bool S280_m0;
    double S280_m1;
    unsigned S280_m2[2];
    short4 S280_m3;
} ;
#pragma pack(push, 4)
union  S281 {
    int * S281_m0;
    int S281_m1;
    char S281_m2;
    S279  S281_m3;
    short4 S281_m4;
} ;
#pragma pack(pop)
struct  S282 {
    S279  S282_m0;
    char S282_m1[4];
} __attribute__((packed, aligned(4)));
struct  S283 : S280 {
    unsigned long long S283_m0 : 7;
    bool S283_m1;
} __attribute__((packed, aligned(16)));
#pragma pack(pop)
struct  S285 {
    S282  S285_m0;
    unsigned char S285_m1;
    double S285_m2[1];
    float4 S285_m3;
    int * S285_m4;
} ;
#pragma pack(pop)
struct  S287 {
    short S287_m0;
    unsigned char S287_m1;
} __attribute__((aligned(4)));
#pragma pack(push, 8)
#pragma pack(2)
struct  S289 {
    S287  S289_m0[1];
    short S289_m1;
    float S289_m2;
} ;
#pragma pack(pop)
struct __attribute__((aligned(8))) S290 {
    S280  S290_m0 __attribute__((aligned(8)));
    unsigned char S290_m1 __attribute__((packed));
} ;
struct __attribute__((packed)) S291 {
    S290  S291_m0;
    bool S291_m1[4] __attribute__((packed));
    S287  S291_m2[4];
    S289  S291_m3;
    unsigned short S291_m4 : 7;
} ;
#pragma pack(push, 2)
struct  S295 {
    S289  S295_m0;
    uchar3 S295_m1;
    S290  S295_m2;
    S285  S295_m3;
} ;
#pragma pack()
#pragma pack()
struct  S298 {
    S285  S298_m0;
} ;
struct  S299 {
    int * S299_m0;
    S287  S299_m1;
} ;
#pragma pack()
struct  S300 {
    S299  S300_m0;
    S291  S300_m1 __attribute__((packed, aligned(4)));
    float4 S300_m2[3];
} ;
#pragma pack(push, 1)
struct  S301 {
    float2 S301_m0;
    short S301_m1;
    unsigned short S301_m2 : 5;
    S300  S301_m3[3];
    S295  S301_m4;
} ;
struct  S302 : S291 {
    S291  S302_m0;
    S299  S302_m1 __attribute__((packed));
    float S302_m2;
} ;
struct  S303 {
    double S303_m0[1] __attribute__((packed));
} ;
#pragma pack(push, 4)
struct  S304 {
    long long S304_m0[3];
    S299  S304_m1;
    unsigned char S304_m2 : 7;
    S301  S304_m3;
    S302  S304_m4[3] __attribute__((packed));
} ;
#pragma pack(push, 2)
struct __attribute__((packed, aligned(2))) S305 {
    double S305_m0;
} ;
#pragma pack(pop)
union  S306 {
    S304  S306_m0[3];
    float4 S306_m1 __attribute__((packed));
    unsigned S306_m2;
    S301  S306_m3;
    unsigned short S306_m4 : 6;
} ;
#pragma pack(push, 8)
struct __attribute__((aligned(1))) S307 : S305 {
    unsigned char S307_m0;
    uchar3 S307_m1 __attribute__((packed));
    short S307_m2;
    S303  S307_m3;
    float S307_m4;
} ;
struct  S308 {
    unsigned long long S308_m0 : 5;
    S307  S308_m1;
    S305  S308_m2[4];
    S304  S308_m3;
} ;
struct  S310 {
    int S310_m0;
    S305  S310_m1;
} ;
#pragma pack(push, 1)
struct  S311 {
    S307  S311_m0;
    long long S311_m1[3];
    uchar3 S311_m2;
    float2 S311_m3;
} ;
struct  S312 {
    uchar3 S312_m0[4];
} ;
union  S313 {
    S308  S313_m0;
} ;
#pragma pack()
struct  S314 {
    S312  S314_m0;
} ;
#pragma pack(push, 1)
union  S317 {
    unsigned S317_m0;
    float S317_m1[1] __attribute__((aligned(2)));
    char S317_m2[2];
    float2 S317_m3;
    short4 S317_m4;
} __attribute__((packed, aligned(16)));
struct  S318 {
    bool S318_m0;
    short4 S318_m1;
} ;
struct  S320 {
    S310  S320_m0;
} ;
#pragma pack(pop)
struct  S322 {
    float S322_m0;
} ;
struct  S323 {
    S314  S323_m0 __attribute__((packed, aligned(4)));
    S312  S323_m1[2];
} ;
struct  S324 {
    alignas(32) bool S324_m0;
    unsigned char S324_m1 : 6;
    S323  S324_m2 __attribute__((packed));
    S314  S324_m3 __attribute__((packed, aligned(4)));
} ;
#pragma pack(pop)
struct  S325 {
    unsigned char S325_m0;
    bool S325_m1;
    float2 S325_m2;
    S318  S325_m3 __attribute__((packed));
    float2 S325_m4;
} ;
#pragma pack(2)
union __attribute__((packed)) S326 {
    int * S326_m0;
    S322  S326_m1;
    char S326_m2;
    bool S326_m3;
} ;
struct __attribute__((packed, aligned(16))) S327 {
    unsigned char S327_m0;
} ;
struct __align__(1) S328 : S323 {
    uchar3 S328_m0;
    S323  S328_m1;
    S325  S328_m2 __attribute__((packed));
    uchar3 S328_m3[3];
} ;
struct __align__(8) S329 {
    uchar3 S329_m0;
} ;
struct __attribute__((packed, aligned(16))) S332 {
    unsigned char S332_m0;
} ;
struct  S333 {
    unsigned short S333_m0 : 3;
    char S333_m1[2];
    bool S333_m2[2];
    short S333_m3[4];
} ;
struct  S334 {
    short S334_m0;
    S333  S334_m1;
} __attribute__((packed));
#pragma pack(pop)
union alignas(64) S335 {
    unsigned long long S335_m0 : 2;
    float S335_m1;
    short S335_m2;
    S333  S335_m3;
    alignas(32) float S335_m4;
} ;
struct  S336 {
    S334  S336_m0;
    unsigned char S336_m1 __attribute__((packed));
    unsigned long long S336_m2 : 4;
    unsigned short S336_m3 : 2;
    S333  S336_m4[3];
} ;
struct  S337 {
    S328  S337_m0;
} ;
struct __attribute__((packed)) S338 {
    unsigned char S338_m0 : 3;
    S329  S338_m1;
} ;
#pragma pack(push, 4)
struct  S339 {
    short S339_m0;
    S337  S339_m1;
} __attribute__((packed, aligned(16)));
struct  S340 {
    unsigned S340_m0 : 4;
    bool S340_m1[2] __attribute__((packed));
    bool S340_m2;
    S338  S340_m3;
    float4 S340_m4 __attribute__((packed));
} ;
union __attribute__((__packed__)) S341 {
    float2 S341_m0;
} ;
struct  S342 {
    float S342_m0;
    char S342_m1;
    S338  S342_m2 __attribute__((aligned(2)));
    long long S342_m3[1];
    float2 S342_m4;
} __attribute__((packed));
struct alignas(32) S343 {
    S336  S343_m0 __attribute__((packed));
    S337  S343_m1;
    S342  S343_m2[1];
} ;
#pragma pack(pop)
struct  S344 {
    float S344_m0;
    unsigned S344_m1;
    int S344_m2 __attribute__((packed, aligned(4)));
    float4 S344_m3;
} ;
#pragma pack(pop)
struct  S345 {
    int S345_m0 __attribute__((packed));
    int S345_m1;
} __attribute__((aligned(4)));
#pragma pack(4)
struct __attribute__((packed, aligned(8))) S346 : S342 {
    short4 S346_m0 __attribute__((packed, aligned(2)));
    S345  S346_m1 __attribute__((packed));
    short4 S346_m2;
    unsigned S346_m3 __attribute__((aligned(2)));
    S345  S346_m4;
} ;
#pragma pack(pop)
struct  S347 {
    S343  S347_m0;
    char S347_m1 __attribute__((packed));
    double S347_m2;
    S346  S347_m3;
} ;
struct  S348 {
    uchar3 S348_m0;
} ;
struct  S349 {
    unsigned char S349_m0;
    float S349_m1[3];
} ;
struct  S350 {
    float S350_m0[4];
    S344  S350_m1[3];
    S344  S350_m2 __attribute__((packed));
    int * S350_m3;
} ;
#pragma pack(16)
struct  S351 {
    S346  S351_m0;
    S346  S351_m1;
    double S351_m2;
} ;
struct  S352 {
    float2 S352_m0;
    unsigned char S352_m1;
} ;
struct  S353 {
    char S353_m0 __attribute__((packed));
    S350  S353_m1;
    bool S353_m2[3];
    int * S353_m3;
} ;
struct __attribute__((aligned(4))) S354 {
    uchar3 S354_m0 __attribute__((aligned(16)));
} ;
struct __align__(16) S355 {
    char S355_m0;
    long long S355_m1;
} ;
#pragma pack(push, 2)
struct  S357 {
    int S357_m0;
    int * S357_m1;
    S351  S357_m2;
    S352  S357_m3;
    float S357_m4;
} ;
struct  S358 {
    unsigned S358_m0 : 2;
} ;
struct  S360 {
    short4 S360_m0;
} ;
struct  S361 {
    float2 S361_m0[3];
} ;
#pragma pack(push, 2)
struct alignas(64) S363 {
    S357  S363_m0[3];
    S354  S363_m1;
    float2 S363_m2;
    long long S363_m3;
} ;
struct __attribute__((aligned(4))) S364 {
    uchar3 S364_m0[3];
} ;
struct __attribute__((packed, aligned(4))) S365 {
    float2 S365_m0 __attribute__((aligned(2)));
    unsigned long long S365_m1 : 5;
} ;
#pragma pack()
struct  S366 {
    bool S366_m0;
    S358  S366_m1;
    unsigned char S366_m2[3] __attribute__((packed));
    short4 S366_m3;
    S358  S366_m4;
} ;
struct  S367 {
    unsigned char S367_m0;
    S361  S367_m1[1];
    int S367_m2;
    unsigned S367_m3 : 4;
} ;
struct __attribute__((packed, aligned(16))) S368 {
    bool S368_m0;
} ;
#pragma pack()
struct __attribute__((__packed__)) S369 {
    uchar3 S369_m0;
    bool S369_m1[4];
    float S369_m2;
    S368  S369_m3;
} ;
struct __attribute__((aligned(2))) S370 {
    uchar3 S370_m0;
    alignas(32) float S370_m1[1];
    short4 S370_m2 __attribute__((aligned(4)));
    uchar3 S370_m3;
} ;
#pragma pack(push, 1)
struct __attribute__((aligned(1))) S371 {
    unsigned S371_m0;
    int S371_m1;
} ;
struct __align__(1) S372 {
    double S372_m0[2];
    float2 S372_m1;
    unsigned short S372_m2 : 3;
    unsigned long long S372_m3 : 8;
} ;
#pragma pack(push, 2)
struct  S374 {
    int S374_m0[1];
    S372  S374_m1;
    S367  S374_m2 __attribute__((packed));
    S368  S374_m3;
    S370  S374_m4;
} ;
struct  S375 {
    int S375_m0 __attribute__((packed));
} ;
#pragma pack(pop)
struct  S377 {
    S375  S377_m0;
    float2 S377_m1;
} __attribute__((packed, aligned(4)));
struct __attribute__((__packed__)) S378 {
    S372  S378_m0;
    float2 S378_m1;
    unsigned S378_m2;
    S372  S378_m3;
} ;
struct  S379 {
    double S379_m0[3];
} __attribute__((packed));
#pragma pack(pop)
struct  S380 {
    S374  S380_m0;
    float S380_m1;
    S374  S380_m2;
    int S380_m3 __attribute__((packed));
    short4 S380_m4;
} ;
#pragma pack(push, 1)
struct  S381 : S374 {
    double S381_m0;
    float2 S381_m1;
    uchar3 S381_m2;
    int S381_m3[1];
} ;
struct  S382 {
    unsigned S382_m0 : 1;
    bool S382_m1;
    S378  S382_m2;
} __attribute__((packed));
