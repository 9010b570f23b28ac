using B;
